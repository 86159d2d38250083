/**
 * Translates files: a module, fetched when the first file comes, reads and writes them; the engine translates their texts.
 */

/** @typedef {import("../assets.js").ModuleAddresses} ModuleAddresses */
/** @typedef {typeof import("../pkg/documents/wanderwort.js")} DocumentsModule */
/** @typedef {import("../pkg/documents/wanderwort.js").FileDocument} FileDocument */

/** The translation of a text as the engine gives it. @typedef {{text: string, sentences: Uint32Array, tokens: Uint32Array}} TranslatedText */

/**
 * What translates texts.
 * @typedef {object} TextTranslator
 * @property {(text: string, priority: number, done: (translated: TranslatedText) => void) => number} addPassage returns the request's number
 * @property {(request: number) => void} cancelPassage
 */

/**
 * @typedef {object} DocumentJob
 * @property {Blob} file
 * @property {string} name
 * @property {string} [format]
 * @property {string} [encoding]
 * @property {string} source
 * @property {string} target
 * @property {number} priority
 */

/** @typedef {{bytes: Uint8Array<ArrayBuffer>, format: string, mediaType: string, isReplaced: boolean}} TranslatedDocument */

/** Texts that are with the engine at once: enough to fill its batches, few enough that ending leaves nothing behind. */
const TEXTS_AHEAD = 64;

/** How often the module was started. */
let starts = 0;

/** @type {Promise<DocumentsModule> | undefined} */
let starting;

/** @param {ModuleAddresses} addresses @param {(script: string) => Promise<DocumentsModule>} importModule */
async function start({ script, wasm }, importModule) {
  // A script is evaluated only once for each address.
  const address = starts === 0 ? script : `${script}?again=${starts}`;
  starts += 1;
  const module = await importModule(address);
  await module.default({ module_or_path: wasm });
  return module;
}

/**
 * @template T
 * @param {() => T} call into the module
 * @returns {T}
 */
function guarded(call) {
  try {
    return call();
  } catch (error) {
    // A trap leaves the module's memory in an unknown state: the next file gets a module of its own.
    if (error instanceof WebAssembly.RuntimeError) starting = undefined;
    const name = error instanceof Error && !(error instanceof WebAssembly.RuntimeError) ? error.name : "OperationError";
    throw new DOMException(error instanceof Error ? error.message : String(error), name);
  }
}

/**
 * @param {DocumentJob} job
 * @param {{addresses: ModuleAddresses, importModule: (script: string) => Promise<DocumentsModule>, translator: TextTranslator,
 *   signal: AbortSignal, progress: (done: number, total: number) => void}} means `progress` counts code units of text
 * @returns {Promise<TranslatedDocument>}
 * @throws {DOMException} `NotSupportedError`, `DataError`, `NetworkError`, or the reason for which the signal is aborted
 */
export async function translateFile(job, { addresses, importModule, translator, signal, progress }) {
  const used = (starting ??= start(addresses, importModule));
  const module = await used.catch((error) => {
    starting = undefined;
    throw new DOMException(`The reader of documents could not be loaded: ${error}`, "NetworkError");
  });
  const most = module.FileDocument.maxBytes();
  if (job.file.size > most) {
    throw new DOMException(`${job.name} has ${job.file.size} bytes; documents have at most ${most}.`, "DataError");
  }
  const bytes = new Uint8Array(await job.file.arrayBuffer());
  signal.throwIfAborted();
  const read = () => new module.FileDocument(bytes, job.name, job.format, job.encoding, job.source, job.target);
  const opened = guarded(read);
  try {
    await translateTexts(opened, job.priority, { translator, signal, progress });
    const { format, mediaType, isReplaced } = opened;
    const written = /** @type {Uint8Array<ArrayBuffer>} */ (guarded(() => opened.write()));
    return { bytes: written, format, mediaType, isReplaced };
  } finally {
    if (starting === used) opened.free();
  }
}

/**
 * @param {FileDocument} document
 * @param {number} priority
 * @param {{translator: TextTranslator, signal: AbortSignal, progress: (done: number, total: number) => void}} means
 * @returns {Promise<void>}
 */
function translateTexts(document, priority, { translator, signal, progress }) {
  const { length } = document;
  let total = 0;
  for (let i = 0; i < length; i++) total += document.textLength(i);
  let next = 0;
  let done = 0;
  /** Requests that are with the engine. @type {Set<number>} */
  const underWay = new Set();
  progress(0, total);
  return new Promise((resolve, reject) => {
    const abort = () => {
      for (const request of underWay) translator.cancelPassage(request);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    const submit = () => {
      if (signal.aborted) return;
      while (next < length && underWay.size < TEXTS_AHEAD) {
        const index = next++;
        const text = document.text(index) ?? "";
        const request = translator.addPassage(text, priority, ({ text: translation, sentences, tokens }) => {
          underWay.delete(request);
          try {
            guarded(() => document.setTranslation(index, translation, sentences, tokens));
          } catch (error) {
            signal.removeEventListener("abort", abort);
            for (const request of underWay) translator.cancelPassage(request);
            return reject(error);
          }
          done += text.length;
          progress(done, total);
          submit();
        });
        underWay.add(request);
      }
      if (underWay.size > 0) return;
      signal.removeEventListener("abort", abort);
      resolve();
    };
    submit();
  });
}
