/**
 * The library's end of the worker that detects languages. One worker serves all detectors, from the first to the last.
 */
import { NativePromise } from "./natives.js";
import { languageWorker } from "../assets.js";
import { DetectorInPlace, isPlaceForDetector } from "./detector-in-place.js";
import { environment } from "./environment.js";
import { whenAborted } from "./webidl.js";

/** @typedef {import("../worker/languages.js").LanguageDetectionResult} LanguageDetectionResult */
/** @typedef {import("./environment.js").EngineWorker} EngineWorker */

/** @typedef {{id: number, text: string, expected: string[]}} ToDetector */

/** @typedef {{ready: true} | {failed: string} | {id: number, results: LanguageDetectionResult[]} | {id: number, error: string}} FromDetector */

/** @typedef {{resolve: (results: LanguageDetectionResult[]) => void, reject: (reason: unknown) => void, owner: object}} Waiting */

class Detection {
  /** @type {EngineWorker | undefined} */
  #worker;
  /** Settles when the worker can be asked. @type {Promise<void> | undefined} */
  #starting;
  #users = 0;
  #next = 0;
  /** `owner` must not be garbage-collected before the answer is here. @type {Map<number, Waiting>} */
  #pending = new Map();
  #wasLoaded = false;

  /** Whether nothing has to be fetched: what does not come over the network counts as here. */
  get isHere() {
    return this.#wasLoaded || !/^https?:$/.test(languageWorker().protocol);
  }

  get isComing() {
    return this.#starting !== undefined && !this.#wasLoaded;
  }

  /**
   * Starts the worker, which runs for as long as somebody uses it.
   * @param {AbortSignal} ended ends the use
   */
  async join(ended) {
    ended.throwIfAborted();
    this.#users += 1;
    let uses = true;
    const leave = () => {
      if (uses) this.#users -= 1;
      uses = false;
      // What its users wait for is aborted with them.
      if (this.#users === 0) this.#stop();
    };
    ended.addEventListener("abort", leave);
    try {
      await this.#start();
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * @param {string} text
   * @param {{expected: string[], owner: object, signals: (AbortSignal | undefined)[]}} options
   * @returns {Promise<LanguageDetectionResult[]>}
   */
  detect(text, { expected, owner, signals }) {
    return new NativePromise((resolve, reject) => {
      const id = this.#next++;
      const unfollow = signals.map((signal) =>
        whenAborted(signal, () => {
          if (this.#pending.delete(id)) settle(reject)(signal?.reason);
        }),
      );
      const settle = (/** @type {(value: any) => void} */ action) => (/** @type {any} */ value) => {
        for (const each of unfollow) each();
        this.#keepAlive();
        action(value);
      };
      this.#pending.set(id, { resolve: settle(resolve), reject: settle(reject), owner });
      // The worker is started again if it failed before.
      this.#start().then(
        () => {
          if (!this.#pending.has(id)) return;
          this.#keepAlive();
          this.#worker?.postMessage({ id, text, expected }, []);
        },
        (error) => {
          const waiting = this.#pending.get(id);
          this.#pending.delete(id);
          waiting?.reject(error);
        },
      );
    });
  }

  /** @returns {Promise<void>} */
  #start() {
    this.#starting ??= new NativePromise((resolve, reject) => {
      const url = languageWorker();
      const worker = isPlaceForDetector() ? new DetectorInPlace(url) : environment.startWorker(url);
      const fail = (/** @type {string} */ reason) => {
        if (this.#worker !== worker) return;
        const message = `The language detector's worker failed: ${reason}`;
        reject(new DOMException(message, "NetworkError"));
        this.#fail(message);
      };
      this.#worker = worker;
      worker.onmessage = ({ data }) => {
        const message = /** @type {FromDetector} */ (data);
        if (this.#worker !== worker) return;
        if ("id" in message) return this.#answer(message);
        if ("failed" in message) return fail(message.failed);
        this.#wasLoaded = true;
        this.#keepAlive();
        resolve();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(
          event.message ||
            `its script, ${url.href}, could not be loaded. If its host is another one than the page's, that host must allow ` +
              "the page's origin (CORS).",
        );
      };
    });
    const starting = this.#starting;
    // Those who wait for it get the error; the next one tries again.
    starting.catch(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    return starting;
  }

  /** @param {Extract<FromDetector, {id: number}>} message */
  #answer(message) {
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ("results" in message) waiting?.resolve(message.results);
    else waiting?.reject(new DOMException(`The language could not be detected: ${message.error}`, "UnknownError"));
  }

  #stop() {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#starting = undefined;
  }

  /** @param {string} message */
  #fail(message) {
    this.#stop();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new DOMException(message, "UnknownError"));
  }

  /** A process may end while nobody waits for anything. */
  #keepAlive() {
    if (this.#pending.size === 0) this.#worker?.unref?.();
    else this.#worker?.ref?.();
  }
}

export const detection = new Detection();
