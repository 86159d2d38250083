/**
 * Translation on the reader's own machine, in the shape of the web's Translator API.
 *
 *     import { Translator } from "./wanderwort.js";
 *     const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de" });
 *     await translator.translate("Good morning!");
 *
 * The class can stand in where a browser has none: `globalThis.Translator ??= Translator`. Beyond the web's API there are
 * models of your own (`models`, `files`), `threads`, priorities, alignments and scores (`translateDetailed`), and
 * `info`. It needs no user gesture, and works in insecure contexts too, where models are not kept.
 */
import { requireActiveDocument } from "./active-document.js";
import { chunksOf } from "./chunks.js";
import { convertInWorker } from "./connection.js";
import { canonicalPair, coreOptions, createOptions } from "./create-options.js";
import { removeModel, storedBytes } from "./kept-models.js";
import { LanguageDetector } from "./language-detector.js";
import {
  INPUT_QUOTA,
  checkRequest,
  createModelObject,
  quotaExceeded,
  requestOptions,
  throwIfAborted,
  usageMeter,
} from "./model-object.js";
import { MOZILLA_MODELS, listModels, loadCatalogue } from "./lists.js";
import { CreateMonitor } from "./monitor.js";
import { findOffer } from "./offer.js";
import { PageTranslation } from "../page/page.js";
import { languagesOf, provide } from "./provide.js";
import { exposeInterface, requireArguments, toDOMString, toDictionary, whenAborted } from "./webidl.js";

export {
  CreateMonitor,
  LanguageDetector,
  MOZILLA_MODELS,
  PageTranslation,
  listModels,
  loadCatalogue,
  removeModel,
  storedBytes,
};

/** @typedef {import("./monitor.js").DownloadProgressEvent} DownloadProgressEvent */

/** @typedef {import("./catalogue.js").Catalogue} Catalogue */
/** @typedef {import("./lists.js").ListAddresses} ListAddresses */
/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./protocol.js").EngineInfo} EngineInfo */
/** @typedef {import("./protocol.js").Translated} Translated */
/** @typedef {import("./connection.js").BlockRequest} BlockRequest */
/** @typedef {import("../worker/engine.js").Variant} Variant */

/** @typedef {import("./model-object.js").Availability} Availability */
/** @typedef {import("./model-object.js").Destruction} Destruction */
/** @typedef {import("./model-object.js").MonitorCallback} MonitorCallback */
/** @typedef {import("./language-detector.js").DetectorLanguages} DetectorLanguages */
/** @typedef {import("./language-detector.js").DetectorOptions} DetectorOptions */
/** @typedef {import("./language-detector.js").LanguageDetectionResult} LanguageDetectionResult */

/**
 * @typedef {object} LanguagePair
 * @property {string} sourceLanguage BCP 47 language tag
 * @property {string} targetLanguage BCP 47 language tag
 * @property {string | URL | (string | URL)[]} [models] address of a list of models, or of several lists; by default `models/index.json`
 *   beside `worker/` and `pkg/`. {@link MOZILLA_MODELS} has models for some 50 languages
 * @property {string | string[]} [model] name of one of the list's models for the pair, or the names of two that translate one after the
 *   other; by default the first one or, if the lists have none for the pair, two models by way of a third language
 */

/**
 * @typedef {object} OwnCreateOptions
 * @property {AbortSignal} [signal] aborts loading
 * @property {MonitorCallback} [monitor]
 * @property {File[]} [files] a model of your own instead of one from the list: a package, or Marian's files (weights,
 *   vocabularies, shortlist, `decoder.yml`; gzip-compressed or not), told apart by their names
 * @property {number} [threads] by default as many as the processor has, at most eight; without cross-origin isolation
 *   there is one, whatever is asked for
 * @property {Variant} [variant] the WebAssembly module to use; by default the best
 * @property {number} [beam] hypotheses followed side by side for each sentence, at most 64: 1 is the fastest, more find better translations;
 *   by default as many as the model is meant to have
 * @property {number} [cache] number of sentences whose translations are kept, at most 100,000, so that one that comes again is there at once;
 *   the same sentence always has the same translation, with or without a cache. By default none are kept
 * @property {string} [targetToken] the name that a model with several target languages has for the wanted one (`deu` for its word `>>deu<<`),
 *   if `targetLanguage` does not determine it; creating fails with an `OperationError` that lists the names if the model has no such name
 */

/** @typedef {LanguagePair & OwnCreateOptions} CreateOptions */

/**
 * @typedef {object} RequestOptions
 * @property {AbortSignal} [signal]
 * @property {number} [priority] higher ones are translated first; 0 unless given
 */

/**
 * @typedef {object} BeginningOptions
 * @property {string} [prefix] how the first sentence's translation begins; the model continues from there. The prefix ends before words that
 *   the model cannot write
 */

/** @typedef {RequestOptions & BeginningOptions} TranslateOptions */

/**
 * A range of the source text and its translation, in UTF-16 code units as in `String.prototype.slice`.
 * @typedef {object} AlignedRange
 * @property {[start: number, end: number]} source
 * @property {[start: number, end: number]} target
 */

/**
 * @typedef {object} DetailedTranslation
 * @property {string} text
 * @property {AlignedRange[]} sentences in the order of the target
 * @property {(AlignedRange & {logProbability?: number})[]} tokens the pieces of the translation, each with the source
 *   piece that it was translated from according to the model's attention
 * @property {number} busy milliseconds that the engine has worked so far, for measuring
 * @property {string[]} candidates translations of the first sentence, the likeliest first; empty unless alternatives were asked for
 */

/**
 * Makes a package, a model in one small file, from Marian's files.
 *
 * @param {File[]} files see {@link CreateOptions}
 * @param {{sourceLanguage: string, targetLanguage: string, name?: string, bits?: "log4" | "int8" | "float16" | "float32",
 *   signal?: AbortSignal, progress?: (done: number, total: number) => void}} options `log4`, the default, makes the smallest
 *   package at some cost in quality; `progress` receives the bytes read, then the tensors done, each with its total
 * @returns {Promise<Blob>}
 * @throws {DOMException} `OperationError` if the files are not a model that the engine can run
 */
export async function convertModel(files, options) {
  const { source, target } = canonicalPair(options);
  const { name = `${source}-${target}`, bits = "log4", signal, progress } = options;
  const bytes = await convertInWorker({ own: [...files], bits, name, source, target }, { signal, progress });
  return new Blob([bytes], { type: "application/octet-stream" });
}

/** Chunks that `translateStreaming` has under way at once: enough to fill the engine's batches. */
const CHUNKS_AHEAD = 64;

/** @typedef {import("./provide.js").Parts} Parts @internal */

/** Translates from one language to another. Made by {@link Translator.create}. */
export class Translator {
  #connection;
  #source;
  #target;
  #info;
  #models;
  /** Aborted by `destroy()` and by the signal of `create()`; everything pending is aborted with it. */
  #destruction;

  /**
   * @hideconstructor
   */
  constructor() {
    // Web IDL requires the constructor's `length` to be 0.
    const [key, parts, destruction] = /** @type {[symbol?, Parts?, Destruction?]} */ (
      /** @type {unknown} */ (arguments)
    );
    if (key !== CONSTRUCT || !parts || !destruction) {
      throw new TypeError("Illegal constructor; use Translator.create()");
    }
    this.#connection = parts.connection;
    [this.#source, this.#target] = languagesOf(parts.models);
    this.#info = parts.info;
    this.#models = parts.models;
    this.#destruction = destruction;
    destruction.watch(this);
  }

  /**
   * Whether a pair of languages can be translated: at once (`available`), after a download (`downloadable`,
   * `downloading`), or not (`unavailable`).
   *
   * @param {LanguagePair} options
   * @returns {Promise<Availability>}
   * @throws {RangeError} if a language tag is invalid
   * @throws {DOMException} `UnknownError` if the list of models is unavailable at the moment, `InvalidStateError`
   */
  static async availability(options) {
    requireArguments("Translator.availability", arguments.length, 1);
    const { given, ...languages } = coreOptions(options);
    requireActiveDocument();
    return (await findOffer(canonicalPair(languages), given)).availability;
  }

  /**
   * Loads the model for a pair of languages. Aborting the signal later destroys the translator.
   *
   * @param {CreateOptions} options
   * @returns {Promise<Translator>}
   * @throws {RangeError} if a language tag is invalid
   * @throws {DOMException} `NotSupportedError` if there is no model for the pair or the browser is too old,
   *   `NetworkError` if something could not be downloaded, `OperationError` if the model is malformed, `UnknownError` if the
   *   list of models is unavailable at the moment, `AbortError`, `InvalidStateError`
   */
  static create(options) {
    const given = arguments.length;
    const prepare = () => {
      requireArguments("Translator.create", given, 1);
      const checked = createOptions(options);
      requireActiveDocument();
      const pair = canonicalPair(checked);
      const { signal, monitor } = checked;
      const provideParts = (/** @type {import("./model-object.js").Creation} */ creation) =>
        provide({ options: checked, ...creation }, pair);
      return { signal, monitor, provide: provideParts };
    };
    return createModelObject("translator", prepare, construct);
  }

  /** The language of the input, as a BCP 47 tag. */
  get sourceLanguage() {
    return this.#source;
  }

  /** The language of the output, as a BCP 47 tag. */
  get targetLanguage() {
    return this.#target;
  }

  /** The longest text that `translate` takes at once, in UTF-16 code units. */
  get inputQuota() {
    return INPUT_QUOTA;
  }

  /** What the translator runs on. */
  get info() {
    return this.#info;
  }

  /** The model as its list describes it, or the two models that translate one after the other. */
  get models() {
    return this.#models;
  }

  /** Why the translator no longer works, if that is so. */
  get closed() {
    return this.#connection.closed;
  }

  /**
   * Translates a text of any length up to the quota. White space, lines and paragraphs are preserved.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   * @throws {DOMException} `QuotaExceededError`, `AbortError`, `UnknownError`, `InvalidStateError`
   */
  async translate(input, options = {}) {
    requireArguments("translate", arguments.length, 1);
    const text = toDOMString(input);
    return (await this.#request(text, { ...requestOptions(options), from: beginning(options) })).text;
  }

  /**
   * Translates and tells where each sentence and piece comes from.
   *
   * @param {string} input
   * @param {TranslateOptions & {scores?: boolean, alternatives?: boolean}} [options] `scores` asks for log-probabilities, which cost some
   *   time; `alternatives` for several translations, the `candidates`, which differ in the first word, or in the one after the `prefix`
   * @returns {Promise<DetailedTranslation>}
   */
  async translateDetailed(input, options = {}) {
    const { scores = false } = options;
    const asked = { ...requestOptions(options), details: true, scores, from: beginning(options) };
    return detailed(await this.#request(toDOMString(input), asked));
  }

  /**
   * Translates a sentence whose translation is to begin in a given way; the model continues from there.
   *
   * @param {string} input if it has several sentences, the prefix is for the first
   * @param {string} prefix how the translation begins; it ends before words that the model cannot write
   * @param {RequestOptions & {alternatives?: boolean}} [options] `alternatives` asks for several translations, the
   *   `candidates`, which differ in the word after the prefix
   * @returns {Promise<DetailedTranslation>}
   */
  async translateFrom(input, prefix, options = {}) {
    const from = { prefix: toDOMString(prefix), alternatives: options.alternatives === true };
    return detailed(await this.#request(toDOMString(input), { ...requestOptions(options), details: true, from }));
  }

  /**
   * Translates a block of text with inline markup (a paragraph, a table cell), and tells where its nodes belong in the
   * translation. Line breaks in the text end sentences; write white space with any other meaning as spaces.
   *
   * @param {string} text
   * @param {Uint32Array} nodes the block's tree in document order, four numbers for each node: index of the element it
   *   is in or 2 ** 32 - 1; 0 for an element, 1 for one that keeps its own content, 2 for a text node; start and end in
   *   UTF-16 code units. Its buffer is transferred to the worker.
   * @param {number} [priority] higher ones are translated first
   * @returns {BlockRequest} the result's `places` has four numbers for each node in the order of the translation: its
   *   index or 2 ** 32 - 1 for a text node to be made, index of the element it is in or 2 ** 32 - 1, start and end
   */
  translateBlock(text, nodes, priority = 0) {
    return this.#connection.translateBlock(text, nodes, priority, this);
  }

  /**
   * Translates a file: HTML, XHTML, EPUB or text, recognised by its content, else by its name. It comes back unchanged except for
   * its language; text is in UTF-8.
   *
   * @param {File} file
   * @param {RequestOptions & {format?: "html" | "epub" | "text", encoding?: string,
   *   progress?: (done: number, total: number) => void}} [options] `encoding` is used for files whose first bytes do not state one;
   *   `progress` counts code units of text
   * @returns {Promise<File>}
   * @throws {DOMException} `NotSupportedError` if the file's format is not recognised, `DataError` if it is damaged or too large,
   *   `NetworkError` if the reader of files could not be loaded, `AbortError`, `OperationError`
   */
  async translateDocument(file, { format, encoding, ...options } = {}) {
    const { name } = file;
    const [source, target] = [this.#source, this.#target];
    const what = { file, name, format, encoding, source, target };
    const { bytes, mediaType } = await this.#connection.translateDocument(what, { ...options, owner: this });
    return new File([bytes], name, { type: file.type || mediaType });
  }

  /**
   * Translates line by line; a chunk is a line with its line break, or all lines of fenced code or of front matter. Together the chunks
   * are what `translate` returns, except where only several lines show some other structure (a stack trace, JSON, CSV, a table without bars
   * at its ends): each line is translated by itself, and read as prose where it could be prose.
   *
   * @param {string} input
   * @param {RequestOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const ended = this.#destruction.signal;
    requireArguments("translateStreaming", arguments.length, 1);
    const text = toDOMString(input);
    const { signal, priority } = requestOptions(options);
    requireActiveDocument();
    throwIfAborted(ended, signal);
    const chunks = chunksOf(text);
    const stopped = new AbortController();
    /** @type {Promise<string>[]} */
    const ahead = [];
    let next = 0;
    const translateChunk = async (/** @type {string} */ chunk) =>
      (await this.#request(chunk, { signal: stopped.signal, priority })).text;
    const fill = () => {
      while (next < chunks.length && ahead.length < CHUNKS_AHEAD) {
        const promise = translateChunk(chunks[next++] ?? "");
        promise.catch(() => {});
        ahead.push(promise);
      }
    };
    const follow = (/** @type {ReadableStreamDefaultController<string>} */ controller) => {
      for (const followed of [ended, signal]) {
        const unfollow = whenAborted(followed, () => {
          controller.error(followed?.reason);
          stopped.abort(followed?.reason);
        });
        stopped.signal.addEventListener("abort", unfollow);
      }
    };
    return new ReadableStream(
      {
        start: (controller) => {
          if (text.length > INPUT_QUOTA) controller.error(quotaExceeded(text.length));
          else follow(controller);
        },
        pull: async (controller) => {
          fill();
          const chunk = ahead.shift();
          if (chunk !== undefined) return controller.enqueue(await chunk);
          controller.close();
          stopped.abort();
        },
        cancel: (reason) => stopped.abort(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * How much of the quota a text would take: its length, and at least 1.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options = {}) {
    const measure = usageMeter(this.#destruction.signal, arguments);
    const usage = await measure();
    if (this.#connection.closed) throw this.#connection.closed;
    return usage;
  }

  /** Ends the translator and frees its memory; what is under way fails with `AbortError`. */
  destroy() {
    this.#destruction.destroy(this);
  }

  /**
   * @param {string} text
   * @param {RequestOptions & {details?: boolean, scores?: boolean, from?: import("./protocol.js").Beginning}} options
   * @returns {Promise<Translated>}
   */
  #request(text, options) {
    checkRequest(text, this.#destruction.signal, options.signal);
    return this.#connection.translate(text, { ...options, owner: this });
  }
}
exposeInterface(Translator, "Translator", {
  statics: ["create", "availability"],
  members: [
    "translate",
    "translateStreaming",
    "sourceLanguage",
    "targetLanguage",
    "measureInputUsage",
    "inputQuota",
    "destroy",
  ],
});

/**
 * @param {Parts} parts
 * @param {Destruction} destruction
 */
function construct(parts, destruction) {
  return Reflect.construct(Translator, [CONSTRUCT, parts, destruction]);
}

const CONSTRUCT = Symbol("Translator");

/** @typedef {import("../page/page.js").PageOptions} PageOptions */

/**
 * Translates this page, starting with what is in view, and follows its changes.
 *
 *     const page = await translatePage({ sourceLanguage: "en", targetLanguage: "de" });
 *     await page.complete;
 *     page.restore();
 *
 * Nodes, listeners, focus and state of the page are kept. `translate="no"`, the class `notranslate`, other languages
 * (`lang`), code and editable text are left alone.
 *
 * @param {PageOptions & ({translator: Translator} | CreateOptions)} options the languages (and whatever else
 *   `Translator.create` takes), or an existing translator
 * @returns {Promise<PageTranslation>} already under way
 */
export async function translatePage(options) {
  if (typeof document === "undefined") {
    throw new DOMException("There is no page here: translatePage works in windows only.", "NotSupportedError");
  }
  const translator = "translator" in options ? options.translator : await Translator.create(options);
  return new PageTranslation(translator, options);
}

/**
 * How a translation is to begin; undefined if that is not given.
 * @param {unknown} options of a request
 * @returns {import("./protocol.js").Beginning | undefined}
 */
function beginning(options) {
  const { prefix, alternatives } = toDictionary(options, "options");
  if (prefix === undefined && alternatives !== true) return undefined;
  return { prefix: prefix === undefined ? "" : toDOMString(prefix), alternatives: alternatives === true };
}

/**
 * @param {Translated} result
 * @returns {DetailedTranslation}
 */
function detailed({ text, sentences, tokens, scores, candidates, busy }) {
  return {
    text,
    sentences: ranges(sentences),
    tokens: ranges(tokens).map((range, i) =>
      // The score is NaN for what the model did not write, such as emoji put back.
      Number.isFinite(scores[i]) ? { ...range, logProbability: scores[i] } : range,
    ),
    busy,
    candidates,
  };
}

/**
 * @param {Uint32Array} numbers four for each range
 * @returns {AlignedRange[]}
 */
function ranges(numbers) {
  /** @type {AlignedRange[]} */
  const found = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const [sourceStart = 0, sourceEnd = 0, targetStart = 0, targetEnd = 0] = numbers.subarray(i, i + 4);
    found.push({ source: [sourceStart, sourceEnd], target: [targetStart, targetEnd] });
  }
  return found;
}
