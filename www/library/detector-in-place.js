/**
 * Detects languages where the library itself runs in a worker: there it needs no worker of its own. No page waits for that thread,
 * and a text takes milliseconds.
 *
 * A worker within a worker would also be dangerous. While anything observes a page's workers, as WebDriver and debuggers do, Firefox makes
 * `new Worker` in a worker wait until the main thread knows of the new one. It waits on the very condition variable on which the new
 * worker's thread waits for work, and the main thread wakes only one of the two: if the new thread was there first, which is likely when it
 * is the thread of a worker that has just ended, the constructor never returns and the outer worker hangs forever.
 */

/** @typedef {import("./environment.js").EngineWorker} EngineWorker */
/** @typedef {import("./detection.js").ToDetector} ToDetector */
/** @typedef {import("./detection.js").FromDetector} FromDetector */

/** Firefox does not retry an import that has failed once. */
let hasFailed = false;

/** Whether to detect languages in this thread. Service workers cannot do so: they cannot import anything later. */
export function isPlaceForDetector() {
  const { DedicatedWorkerGlobalScope, SharedWorkerGlobalScope } = /** @type {any} */ (globalThis);
  const scopes = [DedicatedWorkerGlobalScope, SharedWorkerGlobalScope];
  const isInWorker = scopes.some((scope) => typeof scope === "function" && globalThis instanceof scope);
  // Another worker imports anew. Chromium's shared workers cannot start workers, but there a second import tries anew too.
  return isInWorker && !(hasFailed && typeof Worker === "function");
}

/** @implements {EngineWorker} */
export class DetectorInPlace {
  /** @type {EngineWorker["onmessage"]} */
  onmessage = null;
  /** @type {EngineWorker["onerror"]} */
  onerror = null;
  /** Each text is a task of its own, so that the worker gets to its other events in between. */
  #channel = new MessageChannel();

  /** @param {URL} url of the script of the worker that it stands in for */
  constructor(url) {
    this.#start(`${url.href}#in-place`);
  }

  /** @param {unknown} message */
  postMessage(message) {
    this.#channel.port1.postMessage(message);
  }

  terminate() {
    this.onmessage = null;
    this.onerror = null;
    this.#channel.port1.close();
  }

  /** @param {string} address */
  async #start(address) {
    try {
      /** @type {typeof import("../worker/language-worker.js")} */
      const { start } = await import(/* webpackIgnore: true */ /* @vite-ignore */ address);
      const receive = await start((message) => {
        if ("failed" in message) hasFailed = true;
        this.onmessage?.({ data: message });
      });
      if (receive) this.#channel.port2.onmessage = ({ data }) => receive(/** @type {ToDetector} */ (data));
    } catch {
      hasFailed = true;
      this.onerror?.({ preventDefault() {} });
    }
  }
}
