/**
 * What the library and the engine's worker say to each other.
 */

/** @typedef {import("./catalogue.js").ModelFile} ModelFile */
/** @typedef {import("../worker/engine.js").Variant} Variant */
/** @typedef {import("../assets.js").ModuleAddresses} ModuleAddresses */
/** @typedef {import("../worker/threads.js").StartThread} StartThread */

/** How a package holds a model's matrices: in about 3.5 bits a weight at some cost in quality, in int8, in half precision, or as they are. @typedef {"log4" | "int8" | "float16" | "float32"} Bits */

/**
 * What to load: one model, or two one after the other, each from the files of a list or from `own`, the reader's. `source` and `target` are
 * language tags, `identity` is the same for models that are the same, `keep` has the SHA-256 of kept files that must not be deleted to make room for
 * these, `targetToken` is the name that a model with several target languages has for the wanted one.
 * @typedef {{models: {files: ModelFile[], own?: File[], source: string, target: string, identity?: string}[], keep?: string[], threads?: number,
 *   variant?: Variant, beam?: number, cache?: number, targetToken?: string}} ModelSource
 */

/**
 * A file to translate. `encoding` is used for files whose first bytes do not state one.
 * @typedef {{file: Blob, name: string, format?: string, encoding?: string, source: string, target: string}} DocumentSource
 */
/** How a translation begins, and whether alternatives to the likeliest are wanted. @typedef {{prefix: string, alternatives: boolean}} Beginning */

/** @typedef {{own: File[], bits: Bits, name: string, source: string, target: string}} Conversion */

/**
 * Messages to the worker: from each client, by its number, first one `load` or `convert`; `translate` only after `loaded` has come; `end` last, if
 * the worker has other clients; `thread` is what one of its threads answered, `thread-failed` says why one did not start.
 * @typedef {{client?: number} & (({type: "load", modules: Record<Variant, ModuleAddresses>} & ModelSource)
 *   | ({type: "convert", modules: Record<Variant, ModuleAddresses>} & Conversion)
 *   | {type: "translate", id: number, text: string, priority: number, details: boolean, scores: boolean, from?: Beginning}
 *   | {type: "translate-block", id: number, text: string, nodes: Uint32Array, priority: number}
 *   | ({type: "translate-document", id: number, module: ModuleAddresses, priority: number} & DocumentSource)
 *   | {type: "cancel", id: number}
 *   | {type: "priority", id: number, priority: number}
 *   | {type: "end"}
 *   | {type: "thread", thread: number, data: unknown}
 *   | {type: "thread-failed", thread: number, reason: string})} ToWorker
 */

/**
 * Messages from the worker, each to one of its clients, except `failed` without a number, which is for all. `waiting`: another tab or another client
 * is downloading the same file. `busy` of `translated`: the milliseconds that the engine has worked so far. `refused`: this request has failed,
 * others have not. After `failed` nothing more comes.
 * @typedef {{client?: number} & (StartThread | {type: "progress", loaded: number, total: number, fromNetwork: number}
 *   | {type: "waiting"}
 *   | {type: "loaded", info: Omit<EngineInfo, "worker">}
 *   | {type: "converted", bytes: Uint8Array<ArrayBuffer>}
 *   | {type: "failed", error: {name: string, message: string}}
 *   | {type: "translated", id: number, text: string, sentences: Uint32Array, tokens: Uint32Array, scores: Float32Array,
 *      places: Uint32Array, candidates: string[], busy: number}
 *   | {type: "document-progress", id: number, done: number, total: number}
 *   | {type: "document", id: number, bytes: Uint8Array<ArrayBuffer>, format: string, mediaType: string, isReplaced: boolean}
 *   | {type: "refused", id: number, error: {name: string, message: string}})} FromWorker
 */

/**
 * What a translator runs on.
 * @typedef {object} EngineInfo
 * @property {Variant | null} variant the WebAssembly module in use; none between languages that are the same
 * @property {number} threads
 * @property {string} backend the instruction set of its kernels
 * @property {string} precision `int8`, `int16` or `float32`
 * @property {number} beam hypotheses followed side by side for each sentence
 * @property {number} weightBytes memory that the weights take
 * @property {number} memoryBytes all memory of the engine's worker once the model was loaded
 * @property {number} worker the number of that worker: translators that have a model in common share one, and its memory
 * @property {boolean} stored whether the browser keeps the model, so that it is there without a network next time
 * @property {string} [notStored] why not
 * @property {string} [notCurrent] why an earlier version of the model is in use instead of the list's
 */

/** @typedef {Extract<FromWorker, {type: "translated"}>} Translated */

/** @typedef {Extract<FromWorker, {type: "document"}>} TranslatedDocument */

export {};
