/**
 * For a reader who waits: one request at a time, of which only the newest counts.
 */
import { whenAborted } from "../library/webidl.js";
import { TranslatorBacking } from "./backing.js";
import { CancelledError, SupersededError } from "./errors.js";
import { loadModels } from "./requests.js";

/** @typedef {import("./backing.js").BackingOptions} BackingOptions */
/** @typedef {import("./backing.js").LoadedWorker} LoadedWorker */
/** @typedef {import("./requests.js").TranslationRequest} TranslationRequest */

/**
 * @typedef {object} Pending
 * @property {TranslationRequest} request
 * @property {(response: any) => void} accept
 * @property {(reason: unknown) => void} reject
 * @property {{signal?: AbortSignal}} [options]
 */

export class LatencyOptimisedTranslator {
  /** @type {TranslatorBacking} */
  backing;
  /** The worker as soon as it can be used; null once it is deleted. @type {Promise<LoadedWorker & {idle: boolean}> | null} */
  worker;
  /** The request that waits for the worker. @type {Pending | null} */
  pending = null;
  /** The request that the worker has. @type {Pending | null} */
  #current = null;

  /**
   * @param {BackingOptions} [options]
   * @param {TranslatorBacking} [backing] where models come from; the registry unless given
   */
  constructor(options, backing = new TranslatorBacking(options)) {
    this.backing = backing;
    this.worker = backing.loadWorker().then((worker) => ({ ...worker, idle: true }));
    // Whoever sends a request gets the error.
    this.worker.catch(() => {});
  }

  /**
   * Ends the worker and frees its memory. What waits or is under way is rejected with a {@link CancelledError}.
   * @returns {Promise<void>}
   */
  async delete() {
    const { worker } = this;
    this.worker = null;
    for (const request of [this.pending, this.#current]) request?.reject(deleted());
    this.pending = null;
    (await worker)?.worker.terminate();
  }

  /**
   * Translates a text next. A waiting request is rejected with a {@link SupersededError}; one that is under way is finished.
   *
   * @template {TranslationRequest} R
   * @param {R} request
   * @param {{signal?: AbortSignal}} [options] an abort rejects the request with a {@link CancelledError}
   * @returns {Promise<import("./requests.js").TranslationResponse<R>>}
   */
  translate(request, options) {
    this.pending?.reject(new SupersededError());
    this.pending = null;
    return new Promise((accept, reject) => {
      if (!this.worker) return reject(deleted());
      const signal = options?.signal;
      if (signal?.aborted) return reject(new CancelledError("abort signal"));
      const settled = whenAborted(signal, () => {
        reject(new CancelledError("abort signal"));
        if (this.pending === pending) this.pending = null;
      });
      /** @type {Pending} */
      const pending = {
        request,
        accept: (response) => (settled(), accept(response)),
        reject: (reason) => (settled(), reject(reason)),
        options,
      };
      this.pending = pending;
      this.notify();
    });
  }

  /** Has the worker take the request that waits, once it is free. */
  notify() {
    setTimeout(() => this.#work(), 0);
  }

  async #work() {
    if (!this.pending || !this.worker) return;
    try {
      const worker = await this.worker;
      const next = this.pending;
      if (!worker.idle || !next) return;
      this.pending = null;
      this.#current = next;
      worker.idle = false;
      try {
        next.accept(await this.#answer(next, worker.exports));
      } catch (error) {
        next.reject(error);
      }
      this.#current = null;
      worker.idle = true;
      if (this.pending) this.notify();
    } catch (error) {
      // There is no worker.
      this.pending?.reject(error);
      this.pending = null;
      this.backing.onerror(/** @type {Error} */ (error));
    }
  }

  /** @param {Pending} pending @param {LoadedWorker["exports"]} worker */
  async #answer({ request, options }, worker) {
    const models = await this.backing.getModels(request);
    await loadModels(models, worker, this.backing, { signal: options?.signal });
    const text = request.text.toString();
    const { html = false, qualityScores = false } = request;
    const pairs = models.map(({ from, to }) => ({ from, to }));
    const [response] = await worker.translate(
      { models: pairs, texts: [{ text, html, qualityScores }] },
      { signal: options?.signal },
    );
    return { request, ...response };
  }
}

function deleted() {
  return new CancelledError("translator got deleted");
}
