/**
 * The page's end of an engine: requests go out, promises come back.
 */
import { NativePromise } from "./natives.js";
import { documentsModule, modules, worker } from "../assets.js";
import { EngineWorker, identities } from "./engine-worker.js";
import { environment } from "./environment.js";
import { whenAborted } from "./webidl.js";

/** @typedef {import("./protocol.js").ModelSource} ModelSource */
/** @typedef {import("./protocol.js").DocumentSource} DocumentSource */
/** @typedef {import("./protocol.js").Beginning} Beginning */
/** @typedef {import("./protocol.js").Conversion} Conversion */
/** @typedef {import("./protocol.js").ToWorker} ToWorker */
/** @typedef {import("./protocol.js").FromWorker} FromWorker */
/** @typedef {import("./protocol.js").EngineInfo} EngineInfo */
/** @typedef {import("./protocol.js").Translated} Translated */
/** @typedef {import("./protocol.js").TranslatedDocument} TranslatedDocument */

/**
 * @typedef {object} LoadingEvents
 * @property {(loaded: number, total: number, fromNetwork: number) => void} [progress] in bytes
 * @property {() => void} [waiting] another tab is downloading the same model
 */

/** Whoever waits for the answer to a request. @typedef {{resolve: (answer: any) => void, reject: (reason: unknown) => void}} Waiting */

/**
 * A request that is under way.
 * @typedef {object} BlockRequest
 * @property {Promise<Translated>} result
 * @property {(priority: number) => void} setPriority moves the part of it that has not been started to another place in the queue
 * @property {(reason?: unknown) => void} cancel drops it; the promise is rejected with `reason`
 */

export class EngineConnection {
  #worker;
  /** The worker's number for this connection. */
  #client;
  #next = 0;
  /**
   * `owner` must not be garbage-collected before the answer is here.
   * @type {Map<number, Waiting & {owner?: object}>}
   */
  #pending = new Map();
  /** Callbacks for the progress of documents. @type {Map<number, (done: number, total: number) => void>} */
  #documents = new Map();
  /** @type {unknown} why nothing more can be translated */
  #closed;
  #loaded = false;
  /** @type {LoadingEvents} */
  #events;
  /** @type {PromiseWithResolvers<EngineInfo>} */
  #loading;

  /**
   * Has a worker load a model: one that already has a part of it, or a new one.
   * @param {ModelSource} model
   * @param {LoadingEvents} [events]
   */
  constructor(model, events = {}) {
    this.#events = events;
    this.#loading = withResolvers();
    // If nobody is waiting for it any more, a rejection goes unheard.
    this.#loading.promise.catch(() => {});
    const ids = identities(model);
    this.#worker = EngineWorker.for(model, ids);
    const client = {
      receive: (/** @type {FromWorker} */ message) => this.#receive(message),
      workerFailed: (/** @type {string} */ reason) =>
        this.#fail(`The translation worker failed: ${reason}`, "OperationError"),
    };
    this.#client = this.#worker.join(client, ids);
    this.#keepAlive();
    const models = model.models.map((each, i) => ({ ...each, identity: ids[i] ?? "" }));
    this.#send({ type: "load", modules: modules(), ...model, models });
  }

  /** Settles when the model is loaded or has failed to. */
  get loaded() {
    return this.#loading.promise;
  }

  /** Why nothing more can be translated, if so. */
  get closed() {
    return this.#closed;
  }

  /**
   * @param {string} text
   * @param {{priority?: number, details?: boolean, scores?: boolean, from?: Beginning, signal?: AbortSignal, owner?: object}} options
   *   `owner` is kept from being collected until the answer is here
   * @returns {Promise<Translated>}
   */
  translate(text, { priority = 0, details = false, scores = false, from, signal, owner }) {
    return this.#request((id) => ({ type: "translate", id, text, priority, details, scores, from }), signal, owner);
  }

  /**
   * @param {DocumentSource} document
   * @param {{priority?: number, signal?: AbortSignal, owner?: object, progress?: (done: number, total: number) => void}} options
   *   `owner` as above
   * @returns {Promise<TranslatedDocument>}
   */
  translateDocument(document, { priority = 0, signal, owner, progress }) {
    const module = documentsModule();
    /** @type {number | undefined} */
    let number;
    const message = (/** @type {number} */ id) => {
      number = id;
      if (progress) this.#documents.set(id, progress);
      return /** @type {ToWorker} */ ({ type: "translate-document", id, module, priority, ...document });
    };
    return this.#request(message, signal, owner).finally(() => this.#documents.delete(number ?? -1));
  }

  /**
   * Sends a message that is answered.
   * @template T
   * @param {(id: number) => ToWorker} message
   * @param {AbortSignal} [signal]
   * @param {object} [owner]
   * @returns {Promise<T>}
   */
  #request(message, signal, owner) {
    return new NativePromise((resolve, reject) => {
      if (this.#closed) return reject(this.#closed);
      if (signal?.aborted) return reject(signal.reason);
      const id = this.#next++;
      const settled = whenAborted(signal, () => {
        if (!this.#pending.delete(id)) return;
        this.#send({ type: "cancel", id });
        reject(signal?.reason);
      });
      this.#pending.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (reason) => (settled(), reject(reason)),
        owner,
      });
      this.#keepAlive();
      this.#send(message(id));
    });
  }

  /**
   * Translates a block of text with inline markup.
   * @param {string} text
   * @param {Uint32Array} nodes the block's tree, see `Engine.submitBlock`; its buffer is transferred
   * @param {number} priority
   * @param {object} [owner] is kept from being collected until the answer is here
   * @returns {BlockRequest}
   */
  translateBlock(text, nodes, priority, owner) {
    const id = this.#next++;
    const { promise: result, resolve, reject } = /** @type {PromiseWithResolvers<Translated>} */ (withResolvers());
    if (this.#closed) {
      reject(this.#closed);
    } else {
      this.#pending.set(id, { resolve, reject, owner });
      this.#keepAlive();
      this.#send({ type: "translate-block", id, text, nodes, priority }, [nodes.buffer]);
    }
    return {
      result,
      setPriority: (priority) => {
        if (this.#pending.has(id)) this.#send({ type: "priority", id, priority });
      },
      cancel: (reason = new DOMException("The request was cancelled.", "AbortError")) => {
        if (!this.#pending.delete(id)) return;
        this.#send({ type: "cancel", id });
        reject(reason);
      },
    };
  }

  /**
   * Ends the engine, and the worker unless others use it; what is under way is rejected with `reason`.
   * @param {unknown} reason
   */
  close(reason) {
    if (this.#closed !== undefined) return;
    // Even an abort without a reason has one; only a signal made by the page itself could lack it.
    this.#closed = reason ?? new DOMException("The translator was destroyed.", "AbortError");
    reason = this.#closed;
    this.#worker.leave(this.#client);
    this.#loading.reject(reason);
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
  }

  /**
   * The standard specifies an `OperationError` for a model that cannot be started, and an `UnknownError` for one that fails while working.
   * @param {string} message
   * @param {string} name
   */
  #fail(message, name) {
    this.close(new DOMException(message, this.#loaded ? "UnknownError" : name));
  }

  /** A process may end while nobody waits for anything. */
  #keepAlive() {
    this.#worker.keepAlive(this.#client, !this.#loaded || this.#pending.size > 0);
  }

  /** @param {ToWorker} message @param {Transferable[]} [transfer] */
  #send(message, transfer = []) {
    this.#worker.post(this.#client, message, transfer);
  }

  /** @param {FromWorker} message */
  #receive(message) {
    this.#handle(message);
    if (!this.#closed) this.#keepAlive();
  }

  /** @param {FromWorker} message */
  #handle(message) {
    switch (message.type) {
      case "progress":
        this.#events.progress?.(message.loaded, message.total, message.fromNetwork);
        break;
      case "waiting":
        this.#events.waiting?.();
        break;
      case "loaded":
        this.#loaded = true;
        this.#loading.resolve({ ...message.info, worker: this.#worker.number });
        break;
      case "failed":
        this.#fail(message.error.message, message.error.name);
        break;
      case "document-progress":
        this.#documents.get(message.id)?.(message.done, message.total);
        break;
      case "document":
      case "translated": {
        const request = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        request?.resolve(message);
        break;
      }
      case "refused": {
        const request = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        request?.reject(new DOMException(message.error.message, message.error.name));
        break;
      }
    }
  }
}

/**
 * Makes a package from a reader's own Marian files, in a worker of its own.
 * @param {Conversion} conversion
 * @param {{signal?: AbortSignal, progress?: (loaded: number, total: number) => void}} [options]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function convertInWorker(conversion, { signal, progress } = {}) {
  return new NativePromise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const converter = environment.startWorker(worker());
    const end = () => {
      unfollow();
      converter.terminate();
    };
    const unfollow = whenAborted(signal, () => {
      end();
      reject(signal?.reason);
    });
    converter.onerror = (event) => {
      event.preventDefault();
      end();
      reject(new DOMException(`The worker failed: ${event.message}`, "OperationError"));
    };
    converter.onmessage = ({ data }) => {
      const message = /** @type {FromWorker} */ (data);
      if (message.type === "progress") return progress?.(message.loaded, message.total);
      end();
      if (message.type === "converted") resolve(message.bytes);
      else if (message.type === "failed") reject(new DOMException(message.error.message, message.error.name));
    };
    converter.postMessage({ type: "convert", modules: modules(), ...conversion }, []);
  });
}

/**
 * `Promise.withResolvers`, which browsers have had only since 2024.
 * @template T
 * @returns {PromiseWithResolvers<T>}
 */
function withResolvers() {
  /** @type {(value: T | PromiseLike<T>) => void} */
  let resolve = () => {};
  /** @type {(reason?: unknown) => void} */
  let reject = () => {};
  const promise = /** @type {Promise<T>} */ (
    new NativePromise((yes, no) => {
      resolve = yes;
      reject = no;
    })
  );
  return { promise, resolve, reject };
}
