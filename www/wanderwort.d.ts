import { EngineConnection } from "./connection.js";
import { PageTranslation } from "./page/page.js";
export type ModelEntry = import("./catalogue.js").ModelEntry;
export type ModelFile = import("./catalogue.js").ModelFile;
export type EngineInfo = import("./connection.js").EngineInfo;
export type Translated = import("./connection.js").Translated;
export type BlockRequest = import("./connection.js").BlockRequest;
export type Variant = import("./worker/engine.js").Variant;
export type Availability = "unavailable" | "downloadable" | "downloading" | "available";
export type LanguagePair = {
    /**
     * BCP 47 language tag
     */
    sourceLanguage: string;
    /**
     * BCP 47 language tag
     */
    targetLanguage: string;
    /**
     * address of a list of models; `models/index.json` beside this script unless given
     */
    models?: string | URL;
};
export type MonitorCallback = (monitor: CreateMonitor) => void;
export type OwnCreateOptions = {
    /**
     * aborts loading
     */
    signal?: AbortSignal;
    monitor?: MonitorCallback;
    /**
     * a model of one's own in place of one from the list: a package, or Marian's files (weights,
     * vocabularies, shortlist, `decoder.yml`; gzip-compressed or not), told apart by their names
     */
    files?: File[];
    /**
     * as many as the processor has, at most eight, unless given; without cross-origin isolation
     * there is one whatever is asked for
     */
    threads?: number;
    /**
     * the WebAssembly module to use; the best unless given
     */
    variant?: Variant;
};
export type CreateOptions = LanguagePair & OwnCreateOptions;
export type TranslateOptions = {
    signal?: AbortSignal;
    /**
     * higher ones are translated first; 0 unless given
     */
    priority?: number;
};
export type AlignedRange = {
    source: [start: number, end: number];
    target: [start: number, end: number];
};
export type DetailedTranslation = {
    text: string;
    /**
     * in the order of the target
     */
    sentences: AlignedRange[];
    /**
     * the pieces of the translation, each with the source
     * piece that it was translated from according to the model's attention
     */
    tokens: (AlignedRange & {
        logProbability?: number;
    })[];
    /**
     * milliseconds that the engine has worked so far, for measuring
     */
    busy: number;
};
/**
 * Tells how far a download is: `downloadprogress` events with `loaded` from 0 to 1, as the standard has it, and in bytes
 * with `loadedBytes` and `totalBytes`.
 */
export declare class CreateMonitor extends EventTarget {
    #private;
    /** Handler of `downloadprogress` events. */
    get ondownloadprogress(): ((event: DownloadProgressEvent) => void) | null;
    set ondownloadprogress(handler: ((event: DownloadProgressEvent) => void) | null);
}
/** An event of {@link CreateMonitor}. */
export declare class DownloadProgressEvent extends ProgressEvent {
    loadedBytes: number;
    totalBytes: number;
    /** Those that were not in the browser's storage. */
    networkBytes: number;
    /** @param {{loaded: number, total: number, fromNetwork: number}} bytes */
    constructor({ loaded, total, fromNetwork }: {
        loaded: number;
        total: number;
        fromNetwork: number;
    });
}
/**
 * The list of models at an address: the server's, or what it last was if there is no connection.
 *
 * @param {string | URL} [models]
 * @param {AbortSignal} [signal]
 * @returns {Promise<ModelEntry[]>}
 * @throws {DOMException} `NetworkError`
 */
export declare function listModels(models?: string | URL, signal?: AbortSignal): Promise<ModelEntry[]>;
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
export declare function convertModel(files: File[], options: {
    sourceLanguage: string;
    targetLanguage: string;
    name?: string;
    bits?: "log4" | "int8" | "float32";
    signal?: AbortSignal;
    progress?: (done: number, total: number) => void;
}): Promise<Blob>;
/** Translates from one language to another. Made by {@link Translator.create}. */
export declare class Translator {
    #private;
    /**
     * @param {symbol} key keeps others from calling this
     * @param {{connection: EngineConnection, source: string, target: string, info: EngineInfo, model: ModelEntry}} parts
     */
    constructor(key: symbol, parts: {
        connection: EngineConnection;
        source: string;
        target: string;
        info: EngineInfo;
        model: ModelEntry;
    });
    /**
     * Whether a pair of languages can be translated: at once (`available`), after a download (`downloadable`,
     * `downloading`), or not (`unavailable`).
     *
     * @param {LanguagePair} options
     * @returns {Promise<Availability>}
     */
    static availability(options: LanguagePair): Promise<Availability>;
    /**
     * Loads the model for a pair of languages.
     *
     * @param {CreateOptions} options
     * @returns {Promise<Translator>}
     * @throws {DOMException} `NotSupportedError` if there is no model for the pair or the browser is too old,
     *   `NetworkError` if something could not be downloaded, `OperationError` if the model is malformed, `AbortError`
     */
    static create(options: CreateOptions): Promise<Translator>;
    /** The language of what goes in, as a BCP 47 tag. */
    get sourceLanguage(): string;
    /** The language of what comes out, as a BCP 47 tag. */
    get targetLanguage(): string;
    /** The longest text that `translate` takes at once, in UTF-16 code units. */
    get inputQuota(): number;
    /** What the translator runs on. */
    get info(): import("./connection.js").EngineInfo;
    /** The model as its list describes it. */
    get model(): import("./catalogue.js").ModelEntry;
    /** Why the translator does not work any more, if so. */
    get closed(): DOMException | undefined;
    /**
     * Translates a text of any length up to the quota. White space, lines and paragraphs stay.
     *
     * @param {string} input
     * @param {TranslateOptions} [options]
     * @returns {Promise<string>}
     * @throws {DOMException} `QuotaExceededError`, `AbortError`, `OperationError`
     */
    translate(input: string, options?: TranslateOptions): Promise<string>;
    /**
     * Translates and tells where each sentence and piece comes from.
     *
     * @param {string} input
     * @param {TranslateOptions & {scores?: boolean}} [options] `scores` asks for log-probabilities, which cost some time
     * @returns {Promise<DetailedTranslation>}
     */
    translateDetailed(input: string, options?: TranslateOptions & {
        scores?: boolean;
    }): Promise<DetailedTranslation>;
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
    translateBlock(text: string, nodes: Uint32Array, priority?: number): BlockRequest;
    /**
     * Translates line by line; a chunk is a line with its line break. Together the chunks are what `translate` gives.
     *
     * @param {string} input
     * @param {TranslateOptions} [options]
     * @returns {ReadableStream<string>}
     */
    translateStreaming(input: string, options?: TranslateOptions): ReadableStream<string>;
    /**
     * How much of the quota a text would take.
     *
     * @param {string} input
     * @param {{signal?: AbortSignal}} [options]
     * @returns {Promise<number>}
     */
    measureInputUsage(input: string, options?: {
        signal?: AbortSignal;
    }): Promise<number>;
    /** Ends the translator and frees its memory; what is under way fails with `AbortError`. */
    destroy(): void;
}
export { PageTranslation };
export type PageOptions = import("./page/page.js").PageOptions;
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
export declare function translatePage(options: PageOptions & ({
    translator: Translator;
} | CreateOptions)): Promise<PageTranslation>;
