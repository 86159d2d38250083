/**
 * The library in Node, Deno and Bun: the same as in a browser, with the engine in a worker thread. Nothing is kept between
 * runs: pass a model's files (`modelFiles`) or the address of a list (`models`), which may be a `file:` address.
 *
 *     import { Translator, modelFiles } from "wanderwort";
 *     const files = await modelFiles("models/en-de.tiny.wanderwort");
 *     const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", files });
 */
import { readFile, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { environment } from "../library/environment.js";
import { fetchAny } from "./fetch.js";

export * from "../library/wanderwort.js";

/** @typedef {import("../library/environment.js").EngineWorker} EngineWorker */

const BOOT = new URL("./worker.js", import.meta.url);

/**
 * A worker thread that runs a script made for web workers.
 * @implements {EngineWorker}
 */
class ThreadedWorker {
  #worker;
  /** Messages are sent in order, even after one whose files must be read first. */
  #sent = Promise.resolve();
  /** @type {EngineWorker["onmessage"]} */
  onmessage = null;
  /** @type {EngineWorker["onerror"]} */
  onerror = null;

  /** @param {URL} url */
  constructor(url) {
    this.#worker = new Worker(BOOT, { workerData: { script: url.href } });
    this.#worker.on("message", (data) => this.onmessage?.({ data }));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("messageerror", (error) => this.#fail(error));
  }

  /** @param {any} message @param {Transferable[]} transfer */
  postMessage(message, transfer) {
    this.#sent = this.#sent
      .then(async () => {
        this.#worker.postMessage(await withContents(message), /** @type {any} */ (transfer));
      })
      .catch((error) => this.#fail(error));
  }

  terminate() {
    this.#worker.terminate();
  }

  ref() {
    this.#worker.ref();
  }

  unref() {
    this.#worker.unref();
  }

  /** @param {unknown} error */
  #fail(error) {
    this.onerror?.({ message: error instanceof Error ? error.message : String(error), preventDefault() {} });
  }
}

/**
 * A message with the contents of the reader's own files in it: files cannot be posted between threads.
 * @param {any} message
 * @returns {Promise<any>}
 */
async function withContents(message) {
  const { own, models } = message;
  if (own) return { ...message, own: await Promise.all(own.map(fileContent)) };
  if (models) return { ...message, models: await Promise.all(models.map(withContents)) };
  return message;
}

/** @param {File} file */
async function fileContent(file) {
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

environment.startWorker = (url) => new ThreadedWorker(url);
environment.fetch = fetchAny;

/**
 * The files of a model, for `files` of `Translator.create` and for `convertModel`.
 *
 * @param {string | URL | Uint8Array | ArrayBuffer} source path or `file:` address of a package, or of a folder with Marian's files;
 *   or the bytes of a package
 * @returns {Promise<File[]>}
 */
export async function modelFiles(source) {
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    return [new File([/** @type {BlobPart} */ (source)], "model.wanderwort")];
  }
  const path = source instanceof URL || /^file:/.test(source) ? fileURLToPath(source) : source;
  const isFolder = (await stat(path)).isDirectory();
  const paths = isFolder ? (await readdir(path)).map((name) => join(path, name)) : [path];
  /** @type {File[]} */
  const files = [];
  for (const each of paths) {
    if ((await stat(each)).isFile()) files.push(new File([await readFile(each)], basename(each)));
  }
  return files;
}
