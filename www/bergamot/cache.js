/**
 * The most recent translations.
 */

/** Keeps a limited number of translations by what they translate; the least recently used go first. */
export class TranslationCache {
  #limit;
  /** The oldest first. @type {Map<string, string>} */
  #kept = new Map();

  /** @param {number} limit 0 keeps nothing */
  constructor(limit) {
    this.#limit = limit;
  }

  /** @param {string} key */
  get(key) {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  /** @param {string} key @param {string} translation */
  set(key, translation) {
    if (this.#limit === 0) return;
    this.#kept.delete(key);
    this.#kept.set(key, translation);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#limit && oldest !== undefined) this.#kept.delete(oldest);
  }

  clear() {
    this.#kept.clear();
  }
}
