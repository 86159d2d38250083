/**
 * Where translators get models and engines from. Classes that extend it get models from other places.
 */
import { environment } from "../library/environment.js";
import { CancelledError } from "./errors.js";
import { TranslationWorker } from "./translation-worker.js";

/** @typedef {import("./model-files.js").ModelBuffer} ModelBuffer */
/** @typedef {import("./model-files.js").ModelBuffers} ModelBuffers */
/** @typedef {import("./model-files.js").ModelConfig} ModelConfig */
/** @typedef {import("./translation-worker.js").LanguagePair} LanguagePair */

/** A file of a model: its address, its size in bytes and its SHA-256 in hexadecimal digits. @typedef {{name: string, size?: number, expectedSha256Hash?: string}} RegistryFile */

/**
 * A model of the registry. `files` has its parts: `model`, `lex`, `vocab` or `srcvocab` and `trgvocab`, `qualityModel`, and `config`, which
 * is not a file but settings of the decoder. A registry of your own may have other members.
 * @typedef {LanguagePair & {files?: Record<string, any>}} RegistryModel
 */

/**
 * @typedef {object} BackingOptions
 * @property {number} [cacheSize] translations that each worker keeps in case the same text comes again; none unless given
 * @property {number} [downloadTimeout] milliseconds that the download of a file may take, 60,000 unless given; 0 for no limit
 * @property {string} [registryUrl] address of the list of models
 * @property {string | null} [pivotLanguage] the language between two models where a pair has no model, "en" unless given; null for none
 * @property {(error: Error) => void} [onerror] receives errors that belong to no request
 * @property {boolean} [useNativeIntGemm] accepted, without effect: the kernels are the library's own
 * @property {string} [workerUrl] accepted, without effect: the worker is the library's own
 * @property {number} [threads] threads of each worker in a page that is cross-origin isolated; 1 unless given
 */

/** What translates: `worker` ends it, `exports` loads models and translates. @typedef {{worker: {terminate: () => void}, exports: Pick<TranslationWorker, "hasTranslationModel" | "loadTranslationModel" | "translate">}} LoadedWorker */

const REGISTRY = "https://bergamot.s3.amazonaws.com/models/index.json";

const DOWNLOAD_TIMEOUT_MS = 60_000;

export class TranslatorBacking {
  /** @type {BackingOptions} */
  options;
  /** @type {string} */
  registryUrl;
  /** @type {number} */
  downloadTimeout;
  /** @type {string | null | undefined} */
  pivotLanguage;
  /** @type {(error: Error) => void} */
  onerror;
  /** Models that are loaded or being loaded, by their languages. @type {Map<string, Promise<ModelBuffers>>} */
  buffers = new Map();
  /** Which models lead from one language to another. @type {Map<string, Promise<LanguagePair[]>>} */
  models = new Map();
  /** All models that there are. @type {Promise<RegistryModel[]>} */
  registry;

  /** @param {BackingOptions} [options] */
  constructor(options = {}) {
    // In projects without types, absent options may be null.
    this.options = options ?? {};
    const { registryUrl, downloadTimeout, pivotLanguage, onerror } = this.options;
    this.registryUrl = registryUrl || REGISTRY;
    this.downloadTimeout = "downloadTimeout" in this.options ? Number(downloadTimeout) : DOWNLOAD_TIMEOUT_MS;
    this.pivotLanguage = "pivotLanguage" in this.options ? pivotLanguage : "en";
    this.onerror = onerror || ((error) => console.error("Translation worker:", error));
    this.registry = this.loadModelRegistery();
    // Whoever asks for a model gets the error.
    this.registry.catch(() => {});
  }

  /**
   * Starts a worker.
   * @returns {Promise<LoadedWorker>}
   */
  async loadWorker() {
    const { cacheSize, threads } = this.options;
    const worker = new TranslationWorker({ cacheSize, threads });
    return { worker, exports: worker };
  }

  /**
   * Fetches the list of models: an object with the parts of each model, by the two letters of both languages.
   * @returns {Promise<RegistryModel[]>}
   * @throws {Error} if there is none
   */
  async loadModelRegistery() {
    const response = await environment.fetch(this.registryUrl, { credentials: "omit" });
    if (!response.ok) throw new Error(`The list of models, ${this.registryUrl}, was not found: ${response.status}.`);
    /** @type {Record<string, Record<string, any>>} */
    const registry = await response.json();
    return Object.entries(registry).map(([key, files]) => ({ from: key.slice(0, 2), to: key.slice(2, 4), files }));
  }

  /**
   * A model's buffers, loaded once.
   * @param {LanguagePair} pair
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<ModelBuffers>}
   */
  getTranslationModel({ from, to }, options) {
    const load = () => this.loadTranslationModel({ from, to }, options);
    return remembered(this.buffers, { from, to }, load);
  }

  /**
   * Fetches a model's buffers.
   * @param {LanguagePair} pair
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<ModelBuffers>}
   * @throws {CancelledError} if the signal is aborted
   * @throws {Error} if the registry has no such model or not all of its parts, or a file cannot be fetched
   */
  async loadTranslationModel({ from, to }, options) {
    const entry = (await this.registry).find((model) => model.from === from && model.to === to);
    const files = entry?.files;
    if (!files) throw new Error(`The registry has no model from ${from} to ${to}.`);
    const isFile = (/** @type {any} */ file) => file?.name !== undefined;
    const parts = Object.entries(files).filter(([, file]) => isFile(file));
    const downloads = parts.map(async ([part, file]) => {
      try {
        return [part, await this.fetch(file.name, file.expectedSha256Hash, options)];
      } catch (cause) {
        if (options?.signal?.aborted) throw new CancelledError("abort signal");
        throw new Error(`Could not bring ${file.name}, a file of the model from ${from} to ${to}.`, { cause });
      }
    });
    /** @type {Record<string, ArrayBuffer>} */
    const buffers = Object.fromEntries(await Promise.all(downloads));
    const { model, lex, vocab, srcvocab, trgvocab, qualityModel } = buffers;
    const vocabs = vocab ? [vocab] : srcvocab && trgvocab ? [srcvocab, trgvocab] : undefined;
    if (!model || !vocabs) {
      const known = Object.keys(files).join(", ");
      throw new Error(
        `The model from ${from} to ${to} has ${known}: expected model, and vocab or both srcvocab and trgvocab.`,
      );
    }
    /** @type {ModelConfig} */
    const config = {};
    // These have no activation multipliers.
    if (files.model.name.endsWith("intgemm8.bin")) config["gemm-precision"] = "int8shiftAll";
    if (files.qualityModel) config["skip-cost"] = false;
    return { model, shortlist: lex, vocabs, qualityModel, config: { ...config, ...files.config } };
  }

  /**
   * Fetches a file.
   * @param {string} url
   * @param {string} [checksum] its SHA-256 in hexadecimal digits
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<ArrayBuffer>}
   * @throws {Error} if it cannot be fetched, or is a different one
   * @throws {DOMException} `AbortError` if it takes too long, or the signal is aborted
   */
  async fetch(url, checksum, { signal } = {}) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const late = () => {
      const message = `${url} did not arrive within ${this.downloadTimeout} milliseconds.`;
      controller.abort(new DOMException(message, "AbortError"));
    };
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const timer = this.downloadTimeout ? setTimeout(late, this.downloadTimeout) : undefined;
    try {
      /** @type {RequestInit} */
      const options = { credentials: "omit", signal: controller.signal };
      // Where the context is insecure, only the browser itself can check it.
      const canDigest = globalThis.crypto?.subtle !== undefined;
      if (checksum && !canDigest) options.integrity = `sha256-${this.hexToBase64(checksum)}`;
      const response = await environment.fetch(url, options);
      if (!response.ok) throw new Error(`The server responded with ${response.status} for ${url}.`);
      const bytes = await response.arrayBuffer();
      if (checksum && canDigest) await requireChecksum(bytes, checksum, url);
      return bytes;
    } catch (error) {
      // Not all browsers pass the reason on while they read the content.
      controller.signal.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /** @param {string} hexadecimal two digits for each byte */
  hexToBase64(hexadecimal) {
    const digits = hexadecimal.match(/[0-9a-f]{2}/gi) ?? [];
    return btoa(String.fromCharCode(...digits.map((pair) => parseInt(pair, 16))));
  }

  /**
   * The models that lead from one language to another: one, or two by way of the pivot language.
   * @param {LanguagePair} pair
   * @returns {Promise<LanguagePair[]>}
   */
  getModels({ from, to }) {
    return remembered(this.models, { from, to }, () => this.findModels(from, to));
  }

  /**
   * @param {string} from
   * @param {string} to
   * @returns {Promise<LanguagePair[]>}
   * @throws {Error} if there are none
   */
  async findModels(from, to) {
    const registry = await this.registry;
    const find = (/** @type {string} */ source, /** @type {string | null | undefined} */ target) =>
      registry.find((model) => model.from === source && model.to === target);
    const direct = find(from, to);
    if (direct) return [direct];
    const first = find(from, this.pivotLanguage);
    const second = this.pivotLanguage ? find(this.pivotLanguage, to) : undefined;
    if (first && second) return [first, second];
    throw new Error(`There is no model from '${from}' to '${to}'.`);
  }
}

/**
 * Makes something for a pair of languages, once; what failed is tried anew.
 * @template T
 * @param {Map<string, Promise<T>>} known
 * @param {LanguagePair} pair
 * @param {() => Promise<T>} make
 * @returns {Promise<T>}
 */
function remembered(known, pair, make) {
  const key = JSON.stringify(pair);
  const found = known.get(key);
  if (found) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

/** @param {ArrayBuffer} bytes @param {string} expected @param {string} url */
async function requireChecksum(bytes, expected, url) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found === expected.toLowerCase()) return;
  throw new Error(
    `${url} is not the file that the list of models announces: its SHA-256 is ${found}, expected ${expected}.`,
  );
}
