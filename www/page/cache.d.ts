/**
 * Translations by their source, the least recently used ones dropped when there are too many.
 * @template T
 */
export declare class Cache<T> {
  #private;
  /** @param {number} limit in UTF-16 code units of keys and translations together */
  constructor(limit: number);
  /** @param {string} key @returns {T | undefined} */
  get(key: string): T | undefined;
  /** @param {string} key @param {T} value @param {number} size */
  set(key: string, value: T, size: number): void;
}
