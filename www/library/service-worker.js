/**
 * The library in service workers, which can neither start workers nor import anything later: the engine works in place, with one thread. The
 * browser ends a service worker that has nothing to do, and its translators with it.
 *
 *     import { Translator } from "wanderwort/service-worker";
 */
import * as documents from "../pkg/documents/wanderwort.js";
import * as relaxedSimd from "../pkg/relaxed-simd/wanderwort.js";
import * as simd128 from "../pkg/simd128/wanderwort.js";
import { documentsModule, modules, worker } from "../assets.js";
import { environment } from "./environment.js";
import { EngineHosts } from "../worker/host.js";

export * from "./wanderwort.js";

/** @typedef {import("./environment.js").EngineWorker} EngineWorker */

/** A trap leaves the memory of a module in an unknown state, and here there is no other. */
let isBroken = false;

/** @param {string} script */
async function importModule(script) {
  const addresses = modules();
  if (script === addresses["relaxed-simd"].script) return relaxedSimd;
  if (script === addresses.simd128.script) return simd128;
  if (script === documentsModule().script) return documents;
  throw new TypeError(`${script} cannot be imported in a service worker`);
}

/**
 * An engine in the place of a worker.
 * @implements {EngineWorker}
 */
class EngineInPlace {
  /** @type {EngineWorker["onmessage"]} */
  onmessage = null;
  /** @type {EngineWorker["onerror"]} */
  onerror = null;
  #ended = false;
  #hosts = new EngineHosts({
    post: (data) => {
      // A failure of all engines is the module's.
      if (data.type === "failed" && data.client === undefined) isBroken = true;
      queueMicrotask(() => this.#ended || this.onmessage?.({ data }));
    },
    close: () => {},
    importModule,
    threads: 1,
    // The site's requests would wait for it.
    warmUp: false,
  });

  /** @param {any} message */
  postMessage(message) {
    queueMicrotask(() => this.#ended || this.#hosts.receive(message));
  }

  terminate() {
    this.#ended = true;
    if (!isBroken) this.#hosts.end();
  }
}

environment.startWorker = (url) => {
  if (url.href !== worker().href) {
    throw new DOMException(
      "Service workers cannot start workers: have one of the pages detect languages.",
      "NotSupportedError",
    );
  }
  if (isBroken) {
    throw new DOMException("The translation engine stopped: the service worker must start anew.", "OperationError");
  }
  return new EngineInPlace();
};
