/**
 * For many requests: they go to workers in batches, those of the lowest priority number first.
 */
import { TranslatorBacking } from "./backing.js";
import { CancelledError } from "./errors.js";
import { loadModels } from "./requests.js";

/** @typedef {import("./backing.js").BackingOptions} BackingOptions */
/** @typedef {import("./backing.js").LoadedWorker} LoadedWorker */
/** @typedef {import("./requests.js").TranslationRequest} TranslationRequest */
/** @typedef {import("./translation-worker.js").LanguagePair} LanguagePair */

/**
 * @typedef {BackingOptions & {workers?: number, batchSize?: number}} BatchOptions `workers`: how many may work side by side, each with models
 *   of its own, 1 unless given; `batchSize`: requests that go to a worker together and come back together, 8 unless given
 */

/** @typedef {{request: TranslationRequest, resolve: (response: any) => void, reject: (reason: unknown) => void}} QueuedRequest */

/** Requests for the same models. @typedef {{id: number, key: string, priority: number, models: LanguagePair[], requests: QueuedRequest[]}} Batch */

/** A worker, or the place of one that is being started. @typedef {Partial<LoadedWorker> & {idle: boolean}} Place */

export class BatchTranslator {
  /** @type {TranslatorBacking} */
  backing;
  /** @type {Place[]} */
  workers = [];
  /** @type {number} */
  workerLimit;
  /** Batches that wait, in the order in which they go to workers. @type {Batch[]} */
  queue = [];
  /** How many batches there have been. */
  batchSerial = 0;
  /** @type {number} */
  batchSize;
  /** @type {(error: Error) => void} */
  onerror;
  /** Batches that workers have. @type {Set<Batch>} */
  #underWay = new Set();
  #isDeleted = false;

  /**
   * @param {BatchOptions} [options]
   * @param {TranslatorBacking} [backing] where models come from; the registry unless given
   */
  constructor(options, backing = new TranslatorBacking(options)) {
    this.backing = backing;
    this.workerLimit = Math.max(options?.workers || 0, 1);
    this.batchSize = Math.max(options?.batchSize || 8, 1);
    this.onerror = options?.onerror || ((error) => console.error("Translation worker:", error));
  }

  /**
   * Ends the workers and frees their memory. What waits or is under way is rejected with a {@link CancelledError}.
   * @returns {Promise<void>}
   */
  async delete() {
    this.#isDeleted = true;
    this.remove(() => true);
    for (const { requests } of this.#underWay) for (const { request, reject } of requests) reject(deleted(request));
    for (const { worker } of this.workers) worker?.terminate();
    this.workers = [];
  }

  /** Has a worker take the next batch; not at once, so that more requests can join it. */
  notify() {
    setTimeout(() => this.#work(), 0);
  }

  async #work() {
    if (this.queue.length === 0) return;
    const place = this.workers.find(({ idle }) => idle) ?? (await this.#startWorker());
    const batch = place?.exports ? this.queue.shift() : undefined;
    if (!place?.exports) return;
    if (!batch) {
      place.idle = true;
      return;
    }
    place.idle = false;
    this.#underWay.add(batch);
    try {
      await this.consumeBatch(batch, place.exports);
    } catch (error) {
      for (const { reject } of batch.requests) reject(error);
    }
    this.#underWay.delete(batch);
    place.idle = true;
    if (this.queue.length > 0) this.notify();
  }

  /** @returns {Promise<Place | undefined>} none if no more are allowed, or it could not be started */
  async #startWorker() {
    if (this.workers.length >= this.workerLimit) return undefined;
    /** @type {Place} */
    const place = { idle: false };
    this.workers.push(place);
    try {
      Object.assign(place, await this.backing.loadWorker());
    } catch (error) {
      this.workers = this.workers.filter((other) => other !== place);
      const reason = error instanceof Error ? error.message : String(error);
      const failure = new Error(`The translation worker could not be started: ${reason}`, { cause: error });
      this.onerror(failure);
      // Nobody else would take them.
      if (this.workers.length === 0) this.#rejectAll(failure);
      return undefined;
    }
    if (!this.#isDeleted) return place;
    place.worker?.terminate();
    return undefined;
  }

  /** @param {Error} reason */
  #rejectAll(reason) {
    const { queue } = this;
    this.queue = [];
    for (const { requests } of queue) for (const { reject } of requests) reject(reason);
  }

  /**
   * Translates a text.
   *
   * @template {TranslationRequest} R
   * @param {R} request
   * @returns {Promise<import("./requests.js").TranslationResponse<R>>}
   */
  translate(request) {
    const { from, to, priority } = request;
    return new Promise((resolve, reject) => {
      const add = async () => {
        const models = await this.backing.getModels(request);
        if (this.#isDeleted) throw deleted(request);
        this.enqueue({ key: JSON.stringify({ from, to }), models, request, resolve, reject, priority });
        this.notify();
      };
      add().catch(reject);
    });
  }

  /**
   * Removes requests that are no longer wanted from the queue; each is rejected with a {@link CancelledError} that has it as `request`.
   * Those that a worker already has are not removed.
   * @param {(request: any) => unknown} filter whether a request is to be removed
   */
  remove(filter) {
    const { queue } = this;
    this.queue = [];
    for (const { requests, ...batch } of queue) {
      for (const { request, resolve, reject } of requests) {
        if (filter(request)) reject(Object.assign(new CancelledError("removed by filter"), { request }));
        else this.enqueue({ ...batch, request, resolve, reject });
      }
    }
  }

  /**
   * Puts a request into a batch with its models and priority that has room.
   * @param {QueuedRequest & {key: string, models: LanguagePair[], priority?: number}} queued
   */
  enqueue({ key, models, request, resolve, reject, priority = 0 }) {
    const hasRoom = (/** @type {Batch} */ batch) => batch.requests.length < this.batchSize;
    let batch = this.queue.find((batch) => batch.key === key && batch.priority === priority && hasRoom(batch));
    if (!batch) {
      batch = { id: ++this.batchSerial, key, priority, models, requests: [] };
      this.queue.push(batch);
      this.queue.sort((a, b) => a.priority - b.priority);
    }
    batch.requests.push({ request, resolve, reject });
  }

  /**
   * Has a worker translate a batch.
   * @param {Batch} batch
   * @param {LoadedWorker["exports"]} worker
   */
  async consumeBatch({ models, requests }, worker) {
    await loadModels(models, worker, this.backing);
    const pairs = models.map(({ from, to }) => ({ from, to }));
    const texts = requests.map(({ request: { text, html, qualityScores } }) => ({
      text: text.toString(),
      html: !!html,
      qualityScores: !!qualityScores,
    }));
    const responses = await worker.translate({ models: pairs, texts });
    for (const [i, { request, resolve }] of requests.entries()) resolve({ request, ...responses[i] });
  }
}

/** @param {TranslationRequest} request */
function deleted(request) {
  return Object.assign(new CancelledError("translator got deleted"), { request });
}
