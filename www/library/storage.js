/**
 * Keeps downloaded model files in the browser, so that they are there without a network next time.
 *
 * Files are kept in Cache Storage rather than the origin-private file system: it works in private windows of every
 * browser, needs no exclusive handle (two tabs read one file at once), and an entry appears whole or not at all, so
 * a crash leaves nothing half-written. Since an entry cannot be appended to, a file is kept as parts of fixed size,
 * each an entry of its own; a broken download resumes after the last part, even days later. Entries are named by
 * the file's SHA-256, so a new version never mixes with the old one.
 */
import { stringify } from "./natives.js";

const CACHE_NAME = "wanderwort-models-1";

/** The size of every part but a file's last. */
export const PART_SIZE = 512 * 1024;

/** Entries of Cache Storage need an http address; this one can never be a server's. */
const BASE = "https://models.wanderwort.invalid/";

/** @param {string} sha256 @param {number} index */
const partUrl = (sha256, index) => `${BASE}${sha256}/${index}`;

/** The file that the part at this address belongs to; null if it is not a part. @param {string} url */
const partOwner = (url) => /^([0-9a-f]{64})\/\d+$/.exec(url.slice(BASE.length))?.[1] ?? null;

const LISTS = `${BASE}list?`;

/**
 * Where a list is kept or, given a pair of languages, the entry of a list that was last in use.
 * @param {string} url
 * @param {string} [pair]
 */
const listUrl = (url, pair) => LISTS + new URLSearchParams(pair === undefined ? { url } : { url, pair });

/** The lock that is held while a file is downloaded or read, by its own SHA-256 and that of what is kept of it. @param {string} sha256 */
export const lockName = (sha256) => `wanderwort-model-${sha256}`;

/**
 * JSON without `toJSON` methods: old libraries put one on all arrays of a page, and what is stored that way would be of no use to
 * any other page.
 * @param {unknown} value
 * @returns {string}
 */
function toJson(value) {
  if (typeof value !== "object" || value === null) return stringify(value);
  const parts = [];
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) parts.push(toJson(value[i]));
    return `[${parts.join()}]`;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) parts.push(`${stringify(key)}:${toJson(member)}`);
  }
  return `{${parts.join()}}`;
}

export class ModelStore {
  /** @type {Cache} */
  #cache;

  /** @param {Cache} cache */
  constructor(cache) {
    this.#cache = cache;
  }

  /**
   * @returns {Promise<ModelStore | null>} null where the browser gives no storage (an insecure page, blocked cookies)
   */
  static async open() {
    try {
      return new ModelStore(await caches.open(CACHE_NAME));
    } catch {
      return null;
    }
  }

  /**
   * The parts of a file that are here, from its first byte on without a gap. A part that cannot be read counts as missing.
   * @param {string} sha256
   * @param {number} size
   * @returns {AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>}
   */
  async *parts(sha256, size) {
    for (let offset = 0; offset < size; offset += PART_SIZE) {
      const response = await this.#cache.match(partUrl(sha256, offset / PART_SIZE)).catch(() => undefined);
      const content = await response?.arrayBuffer().catch(() => undefined);
      if (content?.byteLength !== Math.min(PART_SIZE, size - offset)) return;
      yield new Uint8Array(content);
    }
  }

  /**
   * @param {string} sha256
   * @param {number} size
   * @returns {Promise<number>} how many of the file's bytes are here, from the first one on without a gap
   */
  async storedBytes(sha256, size) {
    let stored = 0;
    while (stored < size && (await this.#cache.match(partUrl(sha256, stored / PART_SIZE)).catch(() => undefined))) {
      stored = Math.min(size, stored + PART_SIZE);
    }
    return stored;
  }

  /**
   * @param {string} sha256
   * @param {number} size
   * @returns {Promise<boolean>} whether all of the file's parts are here
   */
  async has(sha256, size) {
    return (await this.storedBytes(sha256, size)) === size;
  }

  /**
   * @param {string} sha256
   * @param {number} index
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @throws {DOMException} `QuotaExceededError`
   */
  async put(sha256, index, bytes) {
    await this.#cache.put(
      partUrl(sha256, index),
      new Response(bytes, { headers: { "Content-Length": `${bytes.length}` } }),
    );
  }

  /** @param {string} sha256 */
  async remove(sha256) {
    for (const request of await this.#cache.keys()) {
      if (request.url.startsWith(`${BASE}${sha256}/`)) await this.#cache.delete(request);
    }
  }

  /**
   * Deletes the parts of all files except these and those that some tab is just loading.
   * @param {ReadonlySet<string>} keep SHA-256 of files
   * @returns {Promise<boolean>} whether there was anything to delete
   */
  async prune(keep) {
    return this.delete((await this.#owners()).filter((sha256) => !keep.has(sha256)));
  }

  /** SHA-256 of all files that have parts here. @returns {Promise<string[]>} */
  async #owners() {
    const owners = (await this.#cache.keys()).map(({ url }) => partOwner(url));
    return [...new Set(owners.filter((sha256) => sha256 !== null))];
  }

  /**
   * Deletes the parts of files, except those that some tab is just loading.
   * @param {string[]} files SHA-256 of each
   * @returns {Promise<boolean>} whether there was anything to delete
   */
  async delete(files) {
    const { locks } = globalThis.navigator;
    for (const sha256 of files) {
      if (locks) {
        await locks.request(lockName(sha256), { ifAvailable: true }, async (lock) => {
          if (lock) await this.remove(sha256);
        });
      } else await this.remove(sha256);
    }
    return files.length > 0;
  }

  /** Deletes the parts of files that no list of models names any more and no pair of languages used last: replaced versions. */
  async pruneUnlisted() {
    // Files first: a list is stored before the files that it names.
    const owners = await this.#owners();
    /** @type {Set<string>} */
    const listed = new Set();
    for (const request of await this.#cache.keys()) {
      if (!request.url.startsWith(LISTS)) continue;
      const text = await (await this.#cache.match(request))?.text();
      for (const [sha256] of (text ?? "").matchAll(/[0-9a-f]{64}/gi)) listed.add(sha256.toLowerCase());
    }
    await this.delete(owners.filter((sha256) => !listed.has(sha256)));
  }

  /**
   * The list of models last seen at an address, to be checked like one that comes from a server.
   * @param {string} url
   * @returns {Promise<unknown>} undefined if there is none
   */
  async list(url) {
    return this.#json(listUrl(url));
  }

  /**
   * @param {string} url
   * @param {unknown} json
   */
  async putList(url, json) {
    await this.#cache.put(listUrl(url), new Response(toJson(json)));
  }

  /**
   * The model that last worked for a pair of languages, as a list of one model. Its files stay until another works.
   * @param {string} url the list's address
   * @param {string} pair
   * @returns {Promise<unknown>} to be checked like a list
   */
  async lastUsed(url, pair) {
    return this.#json(listUrl(url, pair));
  }

  /**
   * @param {string} url
   * @param {string} pair
   * @param {unknown} json
   */
  async putLastUsed(url, pair, json) {
    await this.#cache.put(listUrl(url, pair), new Response(toJson(json)));
  }

  /** @param {string} address @returns {Promise<unknown>} */
  async #json(address) {
    try {
      return await (await this.#cache.match(address))?.json();
    } catch {
      return undefined;
    }
  }
}
