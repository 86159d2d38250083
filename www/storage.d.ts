/**
 * Keeps downloaded model files in the browser, so that they are there without a network next time.
 *
 * Files lie in Cache Storage rather than the origin-private file system: it works in private windows of every
 * browser, needs no exclusive handle (two tabs read one file at once), and an entry appears whole or not at all, so
 * a crash leaves nothing half-written. Since an entry cannot be appended to, a file is kept as parts of fixed size,
 * each an entry of its own; a broken download goes on after the last part, even days later. Entries are named by
 * the file's SHA-256, so a new version never mixes with the old one.
 */
/** The size of every part but a file's last. */
export declare const PART_SIZE: number;
/** The lock that whoever downloads or reads a file holds. @param {string} sha256 */
export declare const lockName: (sha256: string) => string;
export declare class ModelStore {
  #private;
  /** @param {Cache} cache */
  constructor(cache: Cache);
  /**
   * @returns {Promise<ModelStore | null>} null where the browser gives no storage (an insecure page, blocked cookies)
   */
  static open(): Promise<ModelStore | null>;
  /**
   * The parts of a file that are here, from its first byte on without a gap.
   * @param {string} sha256
   * @param {number} size
   * @returns {AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>}
   */
  parts(sha256: string, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
  /**
   * @param {string} sha256
   * @param {number} size
   * @returns {Promise<boolean>} whether all of the file's parts are here
   */
  has(sha256: string, size: number): Promise<boolean>;
  /**
   * @param {string} sha256
   * @param {number} index
   * @param {Uint8Array<ArrayBuffer>} bytes
   * @throws {DOMException} `QuotaExceededError`
   */
  put(sha256: string, index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** @param {string} sha256 */
  remove(sha256: string): Promise<void>;
  /**
   * Deletes the parts of all files but these, and but those that some tab is just loading.
   * @param {ReadonlySet<string>} keep SHA-256 of files
   * @returns {Promise<boolean>} whether there was anything to delete
   */
  prune(keep: ReadonlySet<string>): Promise<boolean>;
  /** Deletes the parts of files that no list of models names any more and no pair of languages used last: replaced versions. */
  pruneUnlisted(): Promise<void>;
  /**
   * The list of models last seen at an address.
   * @param {string} url
   * @returns {Promise<unknown>} undefined if there is none
   */
  list(url: string): Promise<unknown>;
  /**
   * @param {string} url
   * @param {unknown} json
   */
  putList(url: string, json: unknown): Promise<void>;
  /**
   * The model that last worked for a pair of languages. Its files stay until another works.
   * @param {string} url the list's address
   * @param {string} pair
   * @returns {Promise<import("./catalogue.js").ModelEntry | undefined>}
   */
  lastUsed(url: string, pair: string): Promise<import("./catalogue.js").ModelEntry | undefined>;
  /**
   * @param {string} url
   * @param {string} pair
   * @param {import("./catalogue.js").ModelEntry} model
   */
  putLastUsed(url: string, pair: string, model: import("./catalogue.js").ModelEntry): Promise<void>;
}
