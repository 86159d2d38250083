/**
 * An engine at work: requests come in at any time, and what is finished goes out.
 */
import { translateFile } from "./documents.js";
import { PROGRESS_INTERVAL_MS, describe } from "./messages.js";

/** @typedef {import("../library/protocol.js").ToWorker} ToWorker */
/** @typedef {import("./documents.js").TranslatedText} TranslatedText */
/** @typedef {import("./host.js").Place} Place */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Engine} Engine */

/** Requests by the engine's numbers and by the page's. */
class Requests {
  /** @type {Map<number, number>} */
  #byEngine = new Map();
  /** @type {Map<number, number>} */
  #byPage = new Map();

  /** @param {number} page @param {number} engine */
  add(page, engine) {
    this.#byEngine.set(engine, page);
    this.#byPage.set(page, engine);
  }

  /** @param {number} page */
  engineNumber(page) {
    return this.#byPage.get(page);
  }

  /** @param {number} engine @returns {number | undefined} the page's number */
  remove(engine) {
    const page = this.#byEngine.get(engine);
    this.#byEngine.delete(engine);
    if (page !== undefined) this.#byPage.delete(page);
    return page;
  }
}

/** Works on the engine's requests in slices, between which messages get through. */
export class Work {
  #engine;
  #requests = new Requests();
  #running = false;
  #busy = 0;
  #turn = new MessageChannel();
  /** Texts of documents by the engine's numbers. @type {Map<number, (translated: TranslatedText) => void>} */
  #passages = new Map();
  /** Documents under way by the page's numbers. @type {Map<number, AbortController>} */
  #documents = new Map();

  #place;
  #fail;
  #ended = false;

  /** @param {Engine} engine @param {Place} place @param {(error: unknown) => void} fail when the engine can do nothing more */
  constructor(engine, place, fail) {
    this.#engine = engine;
    this.#place = place;
    this.#fail = fail;
    this.#turn.port1.onmessage = () => this.#slice();
  }

  /** @param {Extract<ToWorker, {type: "translate"}>} message */
  add({ id, text, priority, details, scores, from }) {
    const request = from
      ? this.#engine.submitFrom(text, from.prefix, from.alternatives, priority)
      : this.#engine.submit(text, priority, details, scores);
    this.#requests.add(id, request);
    this.#run();
  }

  /** @param {Extract<ToWorker, {type: "translate-block"}>} message */
  addBlock({ id, text, nodes, priority }) {
    try {
      this.#requests.add(id, this.#engine.submitBlock(text, nodes, priority));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return this.#place.post({ type: "refused", id, error: describe(error) });
    }
    this.#run();
  }

  /** @param {Extract<ToWorker, {type: "translate-document"}>} message */
  async addDocument({ id, module, ...job }) {
    const controller = new AbortController();
    this.#documents.set(id, controller);
    let lastTold = 0;
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      const now = performance.now();
      if (done < total && now - lastTold < PROGRESS_INTERVAL_MS) return;
      lastTold = now;
      this.#place.post({ type: "document-progress", id, done, total });
    };
    try {
      const { importModule } = this.#place;
      const means = { addresses: module, importModule, translator: this, signal: controller.signal, progress };
      const document = await translateFile(job, means);
      this.#place.post({ type: "document", id, ...document }, [document.bytes.buffer]);
    } catch (error) {
      if (!controller.signal.aborted) this.#place.post({ type: "refused", id, error: describe(error) });
    } finally {
      this.#documents.delete(id);
    }
  }

  /** @param {string} text @param {number} priority @param {(translated: TranslatedText) => void} done */
  addPassage(text, priority, done) {
    const number = this.#engine.submitPassage(text, priority);
    this.#passages.set(number, done);
    this.#run();
    return number;
  }

  /** @param {number} number */
  cancelPassage(number) {
    this.#engine.cancel(number);
    this.#passages.delete(number);
  }

  #run() {
    if (this.#running) return;
    this.#running = true;
    this.#turn.port2.postMessage(null);
  }

  /** @param {number} id */
  cancel(id) {
    this.#documents.get(id)?.abort(new DOMException("The request was cancelled.", "AbortError"));
    const number = this.#requests.engineNumber(id);
    if (number === undefined) return;
    this.#engine.cancel(number);
    this.#requests.remove(number);
  }

  /** @param {number} id @param {number} priority */
  setPriority(id, priority) {
    const number = this.#requests.engineNumber(id);
    if (number !== undefined) this.#engine.setPriority(number, priority);
  }

  /** Frees the engine. */
  end() {
    this.#ended = true;
    for (const controller of this.#documents.values()) controller.abort();
    this.#turn.port1.close();
    this.#engine.free();
  }

  #slice() {
    if (this.#ended) return;
    try {
      const start = performance.now();
      const finished = this.#engine.step();
      this.#busy += performance.now() - start;
      for (const result of finished) {
        const id = this.#requests.remove(result.request);
        const { text, sentences, tokens, scores, places, candidates, error } = result;
        const passage = this.#passages.get(result.request);
        this.#passages.delete(result.request);
        result.free();
        passage?.({ text, sentences, tokens });
        if (id === undefined) continue;
        if (error !== undefined) {
          this.#place.post({ type: "refused", id, error: { name: "UnknownError", message: error } });
          continue;
        }
        const transfer = [sentences.buffer, tokens.buffer, scores.buffer, places.buffer];
        const found = { text, sentences, tokens, scores, places, candidates, busy: this.#busy };
        this.#place.post({ type: "translated", id, ...found }, transfer);
      }
      this.#running = !this.#engine.isIdle();
      if (this.#running) this.#turn.port2.postMessage(null);
    } catch (error) {
      this.#fail(error);
    }
  }
}
