/**
 * Fetches one model file, byte after byte: from the browser's storage as far as it is there, then from the network,
 * resuming where a connection broke.
 */
import { PART_SIZE } from "../library/storage.js";

/**
 * What is fetched: its address; its SHA-256, the name under which it is kept (without one it is not kept); and its size, if known.
 * @typedef {{url: string, sha256?: string, size?: number}} Fetched
 */
/** @typedef {import("../library/storage.js").ModelStore} ModelStore */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** Pauses before retries after failures with no byte in between; when they are used up, the failure is final. */
const RETRY_PAUSES_MS = [300, 1000, 3000];

/** A connection that brings nothing for this long counts as broken. */
const STALL_MS = 20_000;

/** No file of a model is larger. */
const LARGEST = 2 ** 31;

/** A failure that an immediate retry cannot fix. */
class Refusal extends Error {}

/**
 * Bytes of a file. `offset` is where they are in it.
 * @typedef {{bytes: Bytes, offset: number, from: "storage" | "network"}} Piece
 */

/**
 * @typedef {object} DownloadOptions
 * @property {ModelStore | null} store
 * @property {AbortSignal} [signal]
 * @property {() => Promise<boolean>} makeRoom frees storage of other models; false if there was none
 * @property {(reason: string) => void} notStored called if the file will have to be downloaded again next time
 * @property {(stored: Promise<void>) => void} storing called when all bytes are here, the last of them still on their way into the store
 * @property {number} [fetchFrom] what is stored from here on is not to be trusted: the bytes come from the network, from the
 *   beginning of the part that this offset lies in
 */

/**
 * The file's bytes in order. The caller checks their SHA-256.
 *
 * @param {Fetched} file
 * @param {DownloadOptions} options
 * @returns {AsyncGenerator<Piece, void, void>}
 * @throws {DOMException} `NetworkError` with what happened and what to do
 */
export async function* fileBytes(file, options) {
  const { store, fetchFrom } = options;
  let offset = 0;
  if (fetchFrom !== undefined) {
    offset = fetchFrom - (fetchFrom % PART_SIZE);
  } else if (store && file.sha256 !== undefined && file.size !== undefined) {
    for await (const bytes of store.parts(file.sha256, file.size)) {
      yield { bytes, offset, from: "storage" };
      offset += bytes.length;
    }
  }
  if (offset === file.size) return;
  const keeper = new PartKeeper(file, offset, options);
  let adding = Promise.resolve();
  let passed = false;
  try {
    for await (const bytes of networkBytes(file, offset, options.signal)) {
      await adding;
      // The consumer of the bytes need not wait until they are stored.
      adding = keeper.add(bytes);
      yield { bytes, offset, from: "network" };
      offset += bytes.length;
    }
    passed = true;
    options.storing(adding.then(() => keeper.finish()));
  } finally {
    // Bytes that were refused are stored before others replace them, not after.
    if (!passed) await adding.then(() => keeper.settled());
  }
}

/**
 * @param {Fetched} file
 * @param {number} offset
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Bytes, void, void>}
 */
async function* networkBytes(file, offset, signal) {
  let failures = 0;
  for (;;) {
    try {
      for await (const bytes of request(file, offset, signal)) {
        offset += bytes.length;
        failures = 0;
        yield bytes;
      }
      if (file.size === undefined || offset === file.size) return;
      throw new Error(`the connection ended after ${offset} of ${file.size} bytes`);
    } catch (error) {
      signal?.throwIfAborted();
      // All of it is here, however the connection ended.
      if (offset === file.size) return;
      const pause = RETRY_PAUSES_MS[failures++];
      if (error instanceof Refusal || pause === undefined || globalThis.navigator?.onLine === false)
        throw explain(file, error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * One request for the bytes from `offset` on.
 * @param {Fetched} file
 * @param {number} offset
 * @param {AbortSignal} [signal]
 * @returns {AsyncGenerator<Bytes, void, void>}
 */
async function* request(file, offset, signal) {
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), STALL_MS);
  const abort = () => stalled.abort();
  signal?.addEventListener("abort", abort);
  try {
    const response = await fetch(file.url, {
      headers: offset > 0 ? { Range: `bytes=${offset}-` } : {},
      signal: stalled.signal,
      // The store below keeps the file; a second copy in the browser's own cache would only take up room.
      cache: "no-store",
    });
    let skip = 0;
    if (offset > 0 && response.status === 206) {
      const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("Content-Range") ?? "");
      // Other hosts may hide the header; the checksum decides in the end.
      if (range && Number(range[1]) !== offset) throw new Refusal("the server sent another part than was asked for");
      if (range && range[2] !== "*" && Number(range[2]) !== (file.size ?? Number(range[2])))
        throw sizeRefusal(file, Number(range[2]));
    } else if (response.status === 200) {
      // A server without support for Range sends everything anew.
      skip = offset;
    } else if (response.status === 416) {
      throw new Refusal(`the server's file ends before byte ${offset}; ${file.size} bytes were announced`);
    } else {
      const again = response.status >= 500 || response.status === 408 || response.status === 429;
      throw new (again ? Error : Refusal)(`the server responded with ${response.status} ${response.statusText}`.trim());
    }
    if (!response.body) return;
    let received = 0;
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(), STALL_MS);
        received += value.length;
        if (offset - skip + received > (file.size ?? LARGEST)) throw sizeRefusal(file, null);
        const useful = value.subarray(Math.max(0, Math.min(value.length, value.length - (received - skip))));
        if (useful.length > 0) yield useful;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
    if (skip > 0 && received <= skip) {
      throw new Refusal(`the server's file has ${received} bytes; ${file.size} were announced`);
    }
  } catch (error) {
    if (stalled.signal.aborted && !signal?.aborted) throw new Error(`nothing came for ${STALL_MS / 1000} seconds`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    stalled.abort();
  }
}

/** @param {Fetched} file @param {number | null} found */
function sizeRefusal(file, found) {
  return new Refusal(
    `the server's file has ${found ?? "more"} bytes; ${file.size ?? `at most ${LARGEST}`} were announced`,
  );
}

/** @param {Fetched} file @param {unknown} error */
function explain(file, error) {
  const advice =
    globalThis.navigator?.onLine === false
      ? "This device is offline: connect it and try again."
      : error instanceof Refusal
        ? "The site's models are being changed or are damaged: try again later, or tell the site's owner."
        : "Check the connection and try again; what has arrived is kept.";
  const reason = error instanceof Error ? error.message : String(error);
  return new DOMException(`Could not download ${file.url}: ${reason}. ${advice}`, "NetworkError");
}

/** Cuts a file's bytes into parts and stores each as soon as it is whole. */
class PartKeeper {
  #sha256;
  #options;
  #store;
  /** The part being filled; it begins at a multiple of the part size. */
  #part = new Uint8Array(PART_SIZE);
  #filled = 0;
  #index;
  /** The previous part, which may still be on its way into the store. */
  #writing = Promise.resolve();

  /**
   * @param {Fetched} file
   * @param {number} offset a multiple of the part size
   * @param {DownloadOptions} options
   */
  constructor(file, offset, options) {
    this.#sha256 = file.sha256 ?? "";
    this.#options = options;
    this.#store = file.sha256 === undefined ? null : options.store;
    this.#index = offset / PART_SIZE;
  }

  /** Does not fail: what cannot be stored is not kept. @param {Bytes} bytes */
  async add(bytes) {
    while (this.#store && bytes.length > 0) {
      const taken = bytes.subarray(0, PART_SIZE - this.#filled);
      this.#part.set(taken, this.#filled);
      this.#filled += taken.length;
      bytes = bytes.subarray(taken.length);
      if (this.#filled === PART_SIZE) await this.#put();
    }
  }

  /** Does not fail either. */
  async finish() {
    if (this.#store && this.#filled > 0) await this.#put();
    await this.#writing;
  }

  /** No part is on its way into the store any more. */
  async settled() {
    await this.#writing;
  }

  /** Begins to store the part, once the previous one is stored: meanwhile the next bytes are read. */
  async #put() {
    await this.#writing;
    this.#writing = this.#write(this.#index++, this.#filled);
    this.#filled = 0;
  }

  /** @param {number} index @param {number} length */
  async #write(index, length) {
    const store = this.#store;
    if (!store) return;
    try {
      const part = this.#part.slice(0, length);
      await store.put(this.#sha256, index, part).catch(async (error) => {
        if (!(await this.#options.makeRoom())) throw error;
        await store.put(this.#sha256, index, part);
      });
    } catch (error) {
      // Half a file helps nobody when there is no room for the rest.
      this.#store = null;
      await store.remove(this.#sha256).catch(() => {});
      this.#options.notStored(error instanceof Error ? error.message : String(error));
    }
  }
}
