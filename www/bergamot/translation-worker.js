/**
 * What `loadWorker` returns: the models that were loaded, and the engines that translate with them. Engines that share a model share a worker.
 */
import { EngineConnection } from "../library/connection.js";
import { TranslationCache } from "./cache.js";
import { CancelledError, UnsupportedError } from "./errors.js";
import { modelFiles } from "./model-files.js";

/** @typedef {import("./model-files.js").ModelBuffers} ModelBuffers */

/** Which model. @typedef {{from: string, to: string}} LanguagePair */

/** @typedef {{text: string, html?: boolean, qualityScores?: boolean}} TextToTranslate */

/** @typedef {{target: {text: string}}} TranslatedText */

/**
 * @typedef {object} WorkerOptions
 * @property {number} [cacheSize] translations that are kept in case the same text comes again; none unless given
 * @property {number} [threads] threads of an engine in a page that is cross-origin isolated; 1 unless given
 */

/** @param {LanguagePair} pair */
const keyOf = ({ from, to }) => JSON.stringify({ from, to });

/** Put first, it makes a text UTF-8, whatever the text says about itself. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Translates with the models that it was given. An engine is started for a model, or for two in a row, when it is first needed. */
export class TranslationWorker {
  /** @type {Map<string, LanguagePair & {own: File[]}>} */
  #models = new Map();
  /** Engines by the models that they run. @type {Map<string, {pairs: LanguagePair[], connection: EngineConnection}>} */
  #engines = new Map();
  #cache;
  #threads;
  /** @type {unknown} */
  #terminated;

  /** @param {WorkerOptions} [options] */
  constructor({ cacheSize = 0, threads = 1 } = {}) {
    this.#cache = new TranslationCache(Math.max(cacheSize, 0));
    this.#threads = threads;
  }

  /** @param {LanguagePair} pair */
  async hasTranslationModel(pair) {
    return this.#models.has(keyOf(pair));
  }

  /**
   * @param {LanguagePair} pair
   * @param {ModelBuffers} buffers
   * @throws {TypeError} if a part of the model is missing
   */
  async loadTranslationModel({ from, to }, buffers) {
    await this.freeTranslationModel({ from, to });
    const own = modelFiles(buffers, `${from} to ${to}`);
    this.#models.set(keyOf({ from, to }), { from, to, own });
  }

  /**
   * Forgets a model and ends the engines that run it.
   * @param {LanguagePair} pair
   */
  async freeTranslationModel(pair) {
    this.#models.delete(keyOf(pair));
    for (const [route, { pairs, connection }] of this.#engines) {
      if (!pairs.some((used) => keyOf(used) === keyOf(pair))) continue;
      this.#engines.delete(route);
      connection.close(new CancelledError("the model was freed"));
    }
    this.#cache.clear();
  }

  /**
   * Translates with one model, or with two one after the other.
   *
   * @param {{models: LanguagePair[], texts: TextToTranslate[]}} what
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<TranslatedText[]>} in the order of the texts
   * @throws {UnsupportedError} for quality scores in HTML
   * @throws {DOMException} `OperationError` if a model is malformed, `UnknownError` if the engine failed
   */
  async translate({ models, texts }, { signal } = {}) {
    if (texts.some(({ html, qualityScores }) => html && qualityScores)) {
      throw new UnsupportedError(
        "Quality scores are not offered: leave `qualityScores` out. `translateDetailed` of the library's Translator has log-probabilities.",
      );
    }
    const connection = await this.#engine(models);
    const route = models.map(keyOf).join();
    const translations = texts.map(async ({ text, html = false }) => {
      const key = JSON.stringify([route, html, text]);
      const known = this.#cache.get(key);
      if (known !== undefined) return { target: { text: known } };
      const made = html
        ? await translateHtml(connection, text, models, signal)
        : (await connection.translate(text, { signal })).text;
      this.#cache.set(key, made);
      return { target: { text: made } };
    });
    return Promise.all(translations);
  }

  /**
   * Ends the engines and frees their memory; what is under way is rejected.
   * @param {unknown} [reason]
   */
  terminate(reason = new CancelledError("the worker was terminated")) {
    this.#terminated ??= reason;
    for (const { connection } of this.#engines.values()) connection.close(reason);
    this.#engines.clear();
    this.#models.clear();
    this.#cache.clear();
  }

  /**
   * @param {LanguagePair[]} pairs
   * @returns {Promise<EngineConnection>}
   */
  async #engine(pairs) {
    if (this.#terminated) throw this.#terminated;
    const route = pairs.map(keyOf).join();
    const running = this.#engines.get(route);
    if (running && !running.connection.closed) {
      await running.connection.loaded;
      return running.connection;
    }
    if (pairs.length !== 1 && pairs.length !== 2) {
      throw new UnsupportedError(`Expected one model, or two one after the other, not ${pairs.length}.`);
    }
    const models = pairs.map((pair) => {
      const model = this.#models.get(keyOf(pair));
      if (!model)
        throw new TypeError(`No model from ${pair.from} to ${pair.to} was loaded: call loadTranslationModel.`);
      return { files: [], own: model.own, source: model.from, target: model.to };
    });
    const connection = new EngineConnection({ models, threads: this.#threads });
    this.#engines.set(route, { pairs, connection });
    await connection.loaded;
    return connection;
  }
}

/**
 * @param {EngineConnection} connection
 * @param {string} html
 * @param {LanguagePair[]} models
 * @param {AbortSignal} [signal]
 */
async function translateHtml(connection, html, models, signal) {
  const [source, target] = [models[0]?.from ?? "", models.at(-1)?.to ?? ""];
  const file = new Blob([BYTE_ORDER_MARK, html], { type: "text/html" });
  const document = { file, name: "text.html", format: "html", encoding: "utf-8", source, target };
  const { bytes } = await connection.translateDocument(document, { signal });
  return new TextDecoder().decode(bytes);
}
