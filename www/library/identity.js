/**
 * Translation between languages that are the same, which needs no model: the text as it is.
 */
import { NativePromise } from "./natives.js";

/** @typedef {import("./protocol.js").EngineInfo} EngineInfo */
/** @typedef {import("./protocol.js").Translated} Translated */
/** @typedef {import("./connection.js").BlockRequest} BlockRequest */

/** @type {EngineInfo} */
export const IDENTITY_INFO = {
  variant: null,
  threads: 0,
  backend: "identity",
  precision: "none",
  beam: 0,
  weightBytes: 0,
  memoryBytes: 0,
  worker: 0,
  stored: true,
};

/**
 * @param {string} text
 * @param {Partial<Translated>} [details]
 * @returns {Translated}
 */
function unchanged(text, details) {
  const whole = Uint32Array.of(0, text.length, 0, text.length);
  const nothing = { scores: new Float32Array(), places: new Uint32Array(), candidates: [text] };
  return { type: "translated", id: 0, text, sentences: whole, tokens: whole.slice(), busy: 0, ...nothing, ...details };
}

/** Stands in for a connection to an engine. */
export class IdentityConnection {
  /** @type {unknown} */
  #closed;

  /** Why nothing more can be translated, if so. */
  get closed() {
    return this.#closed;
  }

  /**
   * @param {string} text
   * @returns {Promise<Translated>}
   */
  async translate(text) {
    if (this.#closed) throw this.#closed;
    return unchanged(text);
  }

  /**
   * @param {string} text
   * @param {Uint32Array} nodes four numbers each: the element that it is in, its kind, start and end
   * @returns {BlockRequest}
   */
  translateBlock(text, nodes) {
    const places = new Uint32Array(nodes.length);
    for (let i = 0; i < nodes.length; i += 4) {
      places.set([i / 4, nodes[i] ?? 0, nodes[i + 2] ?? 0, nodes[i + 3] ?? 0], i);
    }
    const result = this.#closed
      ? NativePromise.reject(this.#closed)
      : NativePromise.resolve(unchanged(text, { places }));
    return { result, setPriority() {}, cancel() {} };
  }

  /**
   * A file as it is.
   * @param {{file: Blob}} document
   */
  async translateDocument({ file }) {
    if (this.#closed) throw this.#closed;
    return { bytes: new Uint8Array(await file.arrayBuffer()), mediaType: file.type };
  }

  /** @param {unknown} reason */
  close(reason) {
    this.#closed ??= reason;
  }
}
