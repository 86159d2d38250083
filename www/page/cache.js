/**
 * Translations by their source, the least recently used ones dropped when there are too many.
 * @template T
 */
export class Cache {
  /** @type {Map<string, {value: T, size: number}>} */
  #entries = new Map();
  #size = 0;
  #limit;

  /** @param {number} limit in UTF-16 code units of keys and translations together */
  constructor(limit) {
    this.#limit = limit;
  }

  /** @param {string} key @returns {T | undefined} */
  get(key) {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** @param {string} key @param {T} value @param {number} size */
  set(key, value, size) {
    if (size > this.#limit / 4) return;
    this.#size += size - (this.#entries.get(key)?.size ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, size });
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#limit) break;
      this.#entries.delete(oldest);
      this.#size -= entry.size;
    }
  }
}
