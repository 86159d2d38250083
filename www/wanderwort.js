/**
 * Translation on the reader's own machine, in the shape of the web's Translator API.
 *
 *     import { Translator } from "./wanderwort.js";
 *     const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de" });
 *     await translator.translate("Good morning!");
 *
 * The class can stand in where a browser has none: `globalThis.Translator ??= Translator`. What goes beyond the web's
 * API: models of one's own (`models`, `files`), `threads`, priorities, alignments and scores (`translateDetailed`), and
 * `info`. It needs no user gesture and works in insecure contexts, there without keeping models.
 */
import { canonicalTag, findModels, modelSize, parseCatalogue } from "./catalogue.js";
import { EngineConnection, convertInWorker } from "./connection.js";
import { PageTranslation } from "./page/page.js";
import { ModelStore } from "./storage.js";

/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./connection.js").EngineInfo} EngineInfo */
/** @typedef {import("./connection.js").Translated} Translated */
/** @typedef {import("./connection.js").BlockRequest} BlockRequest */
/** @typedef {import("./worker/engine.js").Variant} Variant */

/** @typedef {"unavailable" | "downloadable" | "downloading" | "available"} Availability */

/**
 * @typedef {object} LanguagePair
 * @property {string} sourceLanguage BCP 47 language tag
 * @property {string} targetLanguage BCP 47 language tag
 * @property {string | URL} [models] address of a list of models; `models/index.json` beside this script unless given
 * @property {string} [model] name of one of the list's models for the pair; the first one unless given
 */

/**
 * @callback MonitorCallback
 * @param {CreateMonitor} monitor
 * @returns {void}
 */

/**
 * @typedef {object} OwnCreateOptions
 * @property {AbortSignal} [signal] aborts loading
 * @property {MonitorCallback} [monitor]
 * @property {File[]} [files] a model of one's own in place of one from the list: a package, or Marian's files (weights,
 *   vocabularies, shortlist, `decoder.yml`; gzip-compressed or not), told apart by their names
 * @property {number} [threads] as many as the processor has, at most eight, unless given; without cross-origin isolation
 *   there is one whatever is asked for
 * @property {Variant} [variant] the WebAssembly module to use; the best unless given
 * @property {number} [beam] hypotheses of a sentence that are followed side by side, at most 64: 1 is the fastest, more find better translations;
 *   as many as the model is meant to have unless given
 */

/** @typedef {LanguagePair & OwnCreateOptions} CreateOptions */

/**
 * @typedef {object} TranslateOptions
 * @property {AbortSignal} [signal]
 * @property {number} [priority] higher ones are translated first; 0 unless given
 */

/**
 * A stretch of the source text and what became of it, in UTF-16 code units as in `String.prototype.slice`.
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
 */

/** Bundlers do not take this address for a file of their own: the models stay where they are. */
const HERE = import.meta.url;
const DEFAULT_MODELS = new URL("./models/index.json", HERE);

/**
 * Longer texts should go in parts: a novel has a few million code units. (Nothing breaks beyond; the limit keeps a
 * mistake from filling the memory.)
 */
const INPUT_QUOTA = 1 << 24;

/** Lines that `translateStreaming` has in work at once: enough to fill the engine's batches. */
const LINES_AHEAD = 64;

/** What `destroy()` leaves pending fails with this. */
const destroyed = () => new DOMException("The translator was destroyed.", "AbortError");

/**
 * Tells how far a download is: `downloadprogress` events with `loaded` from 0 to 1, as the standard has it, and in bytes
 * with `loadedBytes` and `totalBytes`.
 */
export class CreateMonitor extends EventTarget {
  /** @type {((event: DownloadProgressEvent) => void) | null} */
  #handler = null;

  /** Handler of `downloadprogress` events. */
  get ondownloadprogress() {
    return this.#handler;
  }
  set ondownloadprogress(handler) {
    const listener = /** @type {EventListener | null} */ (/** @type {unknown} */ (this.#handler));
    this.removeEventListener("downloadprogress", listener);
    this.#handler = typeof handler === "function" ? handler : null;
    this.addEventListener(
      "downloadprogress",
      /** @type {EventListener | null} */ (/** @type {unknown} */ (this.#handler)),
    );
  }
}

/** An event of {@link CreateMonitor}. */
export class DownloadProgressEvent extends ProgressEvent {
  /** @param {{loaded: number, total: number, fromNetwork: number}} bytes */
  constructor({ loaded, total, fromNetwork }) {
    super("downloadprogress", { lengthComputable: true, loaded: total === 0 ? 1 : loaded / total, total: 1 });
    this.loadedBytes = loaded;
    this.totalBytes = total;
    /** Those that were not in the browser's storage. */
    this.networkBytes = fromNetwork;
  }
}

/** Ends the workers of translators that nobody holds any more. */
const abandoned = new FinalizationRegistry((/** @type {EngineConnection} */ connection) =>
  connection.close(destroyed()),
);

/** Pairs that are being downloaded for the first time: the models' checksums. */
const downloading = new Set();

/**
 * @param {unknown} tag
 * @param {string} which
 * @returns {string}
 */
function checkedTag(tag, which) {
  if (tag === undefined) throw new TypeError(`${which} is required`);
  try {
    return canonicalTag(String(tag));
  } catch {
    throw new RangeError(`${which}: ${tag} is no language tag`);
  }
}

/** Hypotheses of a sentence; nobody searches more widely. */
const WIDEST_BEAM = 64;

/** @param {number} [beam] */
function checkedBeam(beam) {
  if (beam !== undefined && !(Number.isInteger(beam) && beam >= 1 && beam <= WIDEST_BEAM)) {
    throw new RangeError(`beam: expected a whole number from 1 to ${WIDEST_BEAM}, not ${beam}`);
  }
  return beam;
}

/**
 * @param {number} quota
 * @param {number} requested
 */
function quotaExceeded(quota, requested) {
  const message = `The text has ${requested} UTF-16 code units; the translator takes ${quota} at once.`;
  // A class of its own in newer browsers, a mere name in older ones.
  const Class = /** @type {any} */ (globalThis).QuotaExceededError;
  return typeof Class === "function"
    ? new Class(message, { quota, requested })
    : Object.assign(new DOMException(message, "QuotaExceededError"), { quota, requested });
}

/** @param {string | URL} [models] */
const listAddress = (models = DEFAULT_MODELS) => new URL(models, document.baseURI).href;

/**
 * The list of models at an address: the server's, or what it last was if there is no connection.
 *
 * @param {string | URL} [models]
 * @param {AbortSignal} [signal]
 * @returns {Promise<ModelEntry[]>}
 * @throws {DOMException} `NetworkError`
 */
export async function listModels(models, signal) {
  const url = listAddress(models);
  const store = await ModelStore.open();
  try {
    const response = await fetch(url, { signal, cache: "no-cache" });
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    const json = await response.json();
    const list = parseCatalogue(json, url);
    await store?.putList(url, json).catch(() => {});
    return list;
  } catch (error) {
    signal?.throwIfAborted();
    const known = await store?.list(url);
    if (known !== undefined) return parseCatalogue(known, url);
    const reason = error instanceof Error ? error.message : String(error);
    const advice =
      navigator.onLine === false ? "This device is offline: connect it and try again." : "Try again later.";
    throw new DOMException(`Could not load the list of models, ${url}: ${reason}. ${advice}`, "NetworkError");
  }
}

/** @param {LanguagePair} options */
function checkedPair(options) {
  return {
    source: checkedTag(options.sourceLanguage, "sourceLanguage"),
    target: checkedTag(options.targetLanguage, "targetLanguage"),
  };
}

/**
 * @param {LanguagePair} options
 * @param {AbortSignal} [signal]
 */
async function chooseModel(options, signal) {
  const { source, target } = checkedPair(options);
  const list = await listModels(options.models, signal);
  const found = findModels(list, source, target);
  const model = options.model === undefined ? found[0] : found.find(({ name }) => name === options.model);
  return { source, target, model, list };
}

/** @param {ModelEntry} model */
async function isStored(model) {
  const store = await ModelStore.open();
  if (!store) return false;
  for (const file of model.files) if (!(await store.has(file.sha256, file.size))) return false;
  return true;
}

/**
 * @param {LanguagePair} pair
 * @param {File[]} files
 * @returns {ModelEntry}
 */
function ownModel(pair, files) {
  if (files.length === 0) throw new TypeError("files: expected a package or the files of a Marian model");
  return { name: files[0]?.name ?? "", source: pair.sourceLanguage, target: pair.targetLanguage, files: [] };
}

/**
 * Makes a package, a model in one small file, of Marian's files.
 *
 * @param {File[]} files see {@link CreateOptions}
 * @param {{sourceLanguage: string, targetLanguage: string, name?: string, bits?: "log4" | "int8" | "float32",
 *   signal?: AbortSignal, progress?: (done: number, total: number) => void}} options `log4`, the default, makes the smallest
 *   package at some cost in quality; `progress` is told bytes read, then tensors done, each of how many
 * @returns {Promise<Blob>}
 * @throws {DOMException} `OperationError` if the files are no model that the engine runs
 */
export async function convertModel(files, options) {
  const { source, target } = checkedPair(options);
  const { name = `${source}-${target}`, bits = "log4", signal, progress } = options;
  const bytes = await convertInWorker({ own: [...files], bits, name, source, target }, { signal, progress });
  return new Blob([bytes], { type: "application/octet-stream" });
}

/**
 * Starts an engine with a model.
 * @param {CreateOptions} options
 * @param {CreateMonitor} monitor
 * @param {{source: string, target: string, model: ModelEntry, own?: File[], keep?: string[],
 *   notCurrent?: string}} what `keep`: SHA-256 of files that must not make room for these
 */
async function load(options, monitor, { source, target, model, own, keep, notCurrent }) {
  const { signal, threads, variant } = options;
  const beam = checkedBeam(options.beam);
  const total = own ? own.reduce((sum, file) => sum + file.size, 0) : modelSize(model);
  monitor.dispatchEvent(new DownloadProgressEvent({ loaded: 0, total, fromNetwork: 0 }));
  downloading.add(fingerprint(model));
  const connection = new EngineConnection(
    { files: model.files, own, source, target, keep, threads, variant, beam },
    {
      progress: (loaded, total, fromNetwork) =>
        monitor.dispatchEvent(new DownloadProgressEvent({ loaded, total, fromNetwork })),
      waiting: () => monitor.dispatchEvent(new Event("waiting")),
    },
  );
  const abort = () => connection.close(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    const info = { ...(await connection.loaded), notCurrent };
    return new Translator(CONSTRUCT, { connection, source, target, info, model });
  } finally {
    signal?.removeEventListener("abort", abort);
    downloading.delete(fingerprint(model));
  }
}

/** Translates from one language to another. Made by {@link Translator.create}. */
export class Translator {
  #connection;
  #source;
  #target;
  #info;
  #model;

  /**
   * @param {symbol} key keeps others from calling this
   * @param {{connection: EngineConnection, source: string, target: string, info: EngineInfo, model: ModelEntry}} parts
   */
  constructor(key, parts) {
    if (key !== CONSTRUCT) throw new TypeError("Illegal constructor; use Translator.create()");
    this.#connection = parts.connection;
    this.#source = parts.source;
    this.#target = parts.target;
    this.#info = parts.info;
    this.#model = parts.model;
    abandoned.register(this, parts.connection, this);
  }

  /**
   * Whether a pair of languages can be translated: at once (`available`), after a download (`downloadable`,
   * `downloading`), or not (`unavailable`).
   *
   * @param {LanguagePair} options
   * @returns {Promise<Availability>}
   */
  static async availability(options) {
    /** @type {ModelEntry | undefined} */
    let model;
    try {
      ({ model } = await chooseModel(options));
    } catch (error) {
      if (error instanceof DOMException) return "unavailable";
      throw error;
    }
    if (!model) return "unavailable";
    if (await isStored(model)) return "available";
    return downloading.has(fingerprint(model)) ? "downloading" : "downloadable";
  }

  /**
   * Loads the model for a pair of languages.
   *
   * @param {CreateOptions} options
   * @returns {Promise<Translator>}
   * @throws {DOMException} `NotSupportedError` if there is no model for the pair or the browser is too old,
   *   `NetworkError` if something could not be downloaded, `OperationError` if the model is malformed, `AbortError`
   */
  static async create(options) {
    if (!document.defaultView) throw new DOMException("The document is not active.", "InvalidStateError");
    const { signal } = options;
    signal?.throwIfAborted();
    const monitor = new CreateMonitor();
    options.monitor?.(monitor);
    const own = options.files && [...options.files];
    const { source, target, model, list } = own
      ? { ...checkedPair(options), model: ownModel(options, own), list: [] }
      : await chooseModel(options, signal);
    if (!model) {
      const wanted = options.model === undefined ? "no model" : `no model ${options.model}`;
      const others = list.map((m) => `${m.name} (${m.source} to ${m.target})`).join(", ");
      throw new DOMException(`There is ${wanted} from ${source} to ${target}, only: ${others}.`, "NotSupportedError");
    }
    if (own) return load(options, monitor, { source, target, model, own });
    const place = { url: listAddress(options.models), pair: `${source} ${target}` };
    const store = await ModelStore.open();
    const earlier = await store?.lastUsed(place.url, place.pair).catch(() => undefined);
    try {
      const keep = earlier?.files.map((file) => file.sha256);
      const translator = await load(options, monitor, { source, target, model, keep });
      const remember = async () => {
        await store?.putLastUsed(place.url, place.pair, model);
        await store?.pruneUnlisted();
      };
      // Without room for it the next visit is as this one.
      await remember().catch(() => {});
      return translator;
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "NetworkError" || signal?.aborted) throw error;
      if (!earlier || fingerprint(earlier) === fingerprint(model) || !(await isStored(earlier))) throw error;
      // Who asks for a model by its name is not given another one.
      if (options.model !== undefined && earlier.name !== model.name) throw error;
      return load(options, monitor, { source, target, model: earlier, notCurrent: error.message });
    }
  }

  /** The language of what goes in, as a BCP 47 tag. */
  get sourceLanguage() {
    return this.#source;
  }

  /** The language of what comes out, as a BCP 47 tag. */
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

  /** The model as its list describes it. */
  get model() {
    return this.#model;
  }

  /** Why the translator does not work any more, if so. */
  get closed() {
    return this.#connection.closed;
  }

  /**
   * Translates a text of any length up to the quota. White space, lines and paragraphs stay.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   * @throws {DOMException} `QuotaExceededError`, `AbortError`, `OperationError`
   */
  async translate(input, options = {}) {
    return (await this.#request(input, options)).text;
  }

  /**
   * Translates and tells where each sentence and piece comes from.
   *
   * @param {string} input
   * @param {TranslateOptions & {scores?: boolean}} [options] `scores` asks for log-probabilities, which cost some time
   * @returns {Promise<DetailedTranslation>}
   */
  async translateDetailed(input, options = {}) {
    const result = await this.#request(input, { ...options, details: true });
    return {
      text: result.text,
      sentences: ranges(result.sentences),
      tokens: ranges(result.tokens).map((range, i) =>
        // Not a number for what the model did not write, such as emoji put back.
        Number.isFinite(result.scores[i]) ? { ...range, logProbability: result.scores[i] } : range,
      ),
      busy: result.busy,
    };
  }

  /**
   * Translates a block of text with inline markup (a paragraph, a table cell), and tells where its nodes belong in the
   * translation. Line breaks in the text end sentences; put white space of any other meaning as spaces.
   *
   * @param {string} text
   * @param {Uint32Array} nodes the block's tree in document order, four numbers for each node: index of the element it
   *   is in or 2 ** 32 - 1; 0 for an element, 1 for one that keeps its own content, 2 for a text node; start and end in
   *   UTF-16 code units. It is given away: the buffer goes to the worker.
   * @param {number} [priority] higher ones are translated first
   * @returns {BlockRequest} the result's `places` has four numbers for each node in the order of the translation: its
   *   index or 2 ** 32 - 1 for a text node to be made, index of the element it is in or 2 ** 32 - 1, start and end
   */
  translateBlock(text, nodes, priority = 0) {
    return this.#connection.translateBlock(text, nodes, priority);
  }

  /**
   * Translates a file: HTML, XHTML, EPUB or text, told by what it contains, else by its name. It comes back as it was but for its
   * language; text is in UTF-8.
   *
   * @param {File} file
   * @param {TranslateOptions & {format?: "html" | "epub" | "text", encoding?: string,
   *   progress?: (done: number, total: number) => void}} [options] `encoding` is that of files that do not say it in their first bytes;
   *   `progress` is told code units of text
   * @returns {Promise<File>}
   * @throws {DOMException} `NotSupportedError` if it is not known what the file is, `DataError` if it is damaged or too large,
   *   `NetworkError` if the reader of files could not be loaded, `AbortError`, `OperationError`
   */
  async translateDocument(file, { format, encoding, ...options } = {}) {
    const { name } = file;
    const [source, target] = [this.#source, this.#target];
    const what = { file, name, format, encoding, source, target };
    const { bytes, mediaType } = await this.#connection.translateDocument(what, options);
    return new File([bytes], name, { type: file.type || mediaType });
  }

  /**
   * Translates line by line; a chunk is a line with its line break. Together the chunks are what `translate` gives.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const text = String(input);
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const cancelled = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, cancelled.signal]) : cancelled.signal;
    /** @type {Promise<string>[]} */
    const ahead = [];
    let next = 0;
    const fill = () => {
      while (next < lines.length && ahead.length < LINES_AHEAD) {
        const promise = this.translate(lines[next++] ?? "", { ...options, signal });
        promise.catch(() => {});
        ahead.push(promise);
      }
    };
    return new ReadableStream(
      {
        start: (controller) => {
          if (text.length > INPUT_QUOTA) controller.error(quotaExceeded(INPUT_QUOTA, text.length));
        },
        pull: async (controller) => {
          fill();
          const line = ahead.shift();
          if (line === undefined) return controller.close();
          controller.enqueue(await line);
        },
        cancel: (reason) => cancelled.abort(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * How much of the quota a text would take.
   *
   * @param {string} input
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options = {}) {
    options.signal?.throwIfAborted();
    if (this.#connection.closed) throw this.#connection.closed;
    return String(input).length;
  }

  /** Ends the translator and frees its memory; what is under way fails with `AbortError`. */
  destroy() {
    abandoned.unregister(this);
    this.#connection.close(destroyed());
  }

  /**
   * @param {string} input
   * @param {TranslateOptions & {details?: boolean, scores?: boolean}} options
   * @returns {Promise<Translated>}
   */
  async #request(input, options) {
    const text = String(input);
    options.signal?.throwIfAborted();
    if (text.length > INPUT_QUOTA) throw quotaExceeded(INPUT_QUOTA, text.length);
    return this.#connection.translate(text, options);
  }
}

const CONSTRUCT = Symbol("Translator");

export { PageTranslation };

/** @typedef {import("./page/page.js").PageOptions} PageOptions */

/**
 * Translates this page, what is in view first, and follows its changes.
 *
 *     const page = await translatePage({ sourceLanguage: "en", targetLanguage: "de" });
 *     await page.complete;
 *     page.restore();
 *
 * Nodes, listeners, focus and state of the page stay. Left alone are `translate="no"`, the class `notranslate`, other
 * languages (`lang`), code, editable text.
 *
 * @param {PageOptions & ({translator: Translator} | CreateOptions)} options the languages (and what else `Translator.create`
 *   takes), or a translator that is there already
 * @returns {Promise<PageTranslation>} already under way
 */
export async function translatePage(options) {
  const translator = "translator" in options ? options.translator : await Translator.create(options);
  return new PageTranslation(translator, options);
}

/** @param {ModelEntry} model */
function fingerprint(model) {
  return model.files.map((file) => file.sha256).join();
}

/**
 * @param {Uint32Array} numbers four for each range
 * @returns {AlignedRange[]}
 */
function ranges(numbers) {
  return Array.from({ length: numbers.length / 4 }, (_, i) => {
    const [sourceStart = 0, sourceEnd = 0, targetStart = 0, targetEnd = 0] = numbers.subarray(4 * i, 4 * i + 4);
    return { source: [sourceStart, sourceEnd], target: [targetStart, targetEnd] };
  });
}
