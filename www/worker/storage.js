/**
 * Keeps downloaded model files in the browser, so that they are there without a network next time.
 *
 * Files lie in Cache Storage rather than the origin-private file system: it works in private windows of every
 * browser, needs no exclusive handle (two tabs read one file at once), and an entry appears whole or not at all, so
 * a crash leaves nothing half-written. Since an entry cannot be appended to, a file is kept as parts of fixed size,
 * each an entry of its own; a broken download goes on after the last part, even days later. Entries are named by
 * the file's SHA-256, so a new version never mixes with the old one.
 */

const CACHE_NAME = "wanderwort-models-1";

/** The size of every part but a file's last. */
export const PART_SIZE = 512 * 1024;

/** Entries of Cache Storage need an http address; this one can never be a server's. */
const BASE = "https://models.wanderwort.invalid/";

/** @param {string} sha256 @param {number} index */
const partUrl = (sha256, index) => `${BASE}${sha256}/${index}`;

/** @param {string} url */
const listUrl = (url) => `${BASE}list?${new URLSearchParams({ url })}`;

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
   * The parts of a file that are here, from its first byte on without a gap.
   * @param {string} sha256
   * @param {number} size
   * @returns {AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>}
   */
  async *parts(sha256, size) {
    for (let offset = 0; offset < size; offset += PART_SIZE) {
      const response = await this.#cache.match(partUrl(sha256, offset / PART_SIZE));
      if (!response) return;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length !== Math.min(PART_SIZE, size - offset)) return;
      yield bytes;
    }
  }

  /**
   * @param {string} sha256
   * @param {number} size
   * @returns {Promise<boolean>} whether all of the file's parts are here
   */
  async has(sha256, size) {
    for (let i = 0; i * PART_SIZE < size; i++) {
      if (!(await this.#cache.match(partUrl(sha256, i)))) return false;
    }
    return true;
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
   * Deletes the parts of all files but these.
   * @param {ReadonlySet<string>} keep SHA-256 of files
   * @returns {Promise<boolean>} whether there was anything to delete
   */
  async prune(keep) {
    let found = false;
    for (const request of await this.#cache.keys()) {
      const [sha256, index] = request.url.slice(BASE.length).split("/");
      if (index === undefined || sha256 === undefined || keep.has(sha256)) continue;
      found = (await this.#cache.delete(request)) || found;
    }
    return found;
  }

  /**
   * The list of models last seen at an address.
   * @param {string} url
   * @returns {Promise<unknown>} undefined if there is none
   */
  async list(url) {
    const response = await this.#cache.match(listUrl(url));
    return response ? response.json().catch(() => undefined) : undefined;
  }

  /**
   * @param {string} url
   * @param {unknown} json
   */
  async putList(url, json) {
    await this.#cache.put(listUrl(url), new Response(JSON.stringify(json)));
  }
}
