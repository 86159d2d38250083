/**
 * The engine as a page sees it. Ports break when the browser ends what is at the other end; open requests are then sent again.
 */
import { api } from "../api.js";
import { Problem } from "../problems.js";
import { ENGINE_PORT, askBackground } from "../protocol.js";

/** @typedef {import("../protocol.js").FromEngine} FromEngine */
/** @typedef {import("../../page/page.js").BlockTranslator} BlockTranslator */
/** @typedef {import("../../library/connection.js").BlockRequest} BlockRequest */

/** After this many breaks in a row without an answer, something is wrong. */
const MOST_BREAKS = 4;

/** @typedef {{text: string, nodes: number[], priority: number, resolve: (value: any) => void, reject: (reason: unknown) => void}} Pending */

/** @implements {BlockTranslator} */
export class RemoteTranslator {
  /** @type {any} */
  #port = null;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #next = 0;
  #breaks = 0;
  #connecting = false;
  #closed = false;
  /** Share of the model that is loaded; 1 when there is nothing to wait for. */
  loaded = 1;

  #models;

  /** @param {import("../protocol.js").Pair} pair */
  constructor({ source, target, models }) {
    this.sourceLanguage = source;
    this.targetLanguage = target;
    this.#models = models;
    globalThis.addEventListener("pageshow", this.#cameBack);
  }

  /**
   * Browsers cut the ports of a page that they put into the back/forward cache, and tell the page nothing.
   * @param {PageTransitionEvent} event
   */
  #cameBack = ({ persisted }) => {
    if (!persisted) return;
    const port = this.#port;
    this.#port = null;
    port?.disconnect();
    this.#breaks = 0;
    if (this.#pending.size > 0) this.#connect();
  };

  /**
   * @param {string} text
   * @param {Uint32Array} nodes
   * @param {number} priority
   * @returns {BlockRequest}
   */
  translateBlock(text, nodes, priority) {
    const id = this.#next++;
    const result = new Promise((resolve, reject) => {
      this.#pending.set(id, { text, nodes: Array.from(nodes), priority, resolve, reject });
    });
    if (this.#port) this.#submit(id);
    else this.#connect();
    return {
      result,
      setPriority: (priority) => {
        const pending = this.#pending.get(id);
        if (!pending) return;
        pending.priority = priority;
        this.#post({ type: "priority", id, priority });
      },
      cancel: (reason = new DOMException("The request was cancelled.", "AbortError")) => {
        const pending = this.#pending.get(id);
        if (!this.#pending.delete(id)) return;
        this.#post({ type: "cancel", id });
        pending?.reject(reason);
      },
    };
  }

  /** Ends the connection, and the requests that are open. */
  close() {
    this.#closed = true;
    globalThis.removeEventListener("pageshow", this.#cameBack);
    this.#port?.disconnect();
    this.#port = null;
    this.#rejectAll(new DOMException("The translator was closed.", "AbortError"));
  }

  /** @param {unknown} reason */
  #rejectAll(reason) {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(reason);
  }

  async #connect() {
    if (this.#connecting || this.#closed) return;
    this.#connecting = true;
    try {
      // Makes the background start the engine's document where there is one.
      await askBackground({ type: "engine" });
      if (this.#closed) return;
      const port = api.runtime.connect({ name: ENGINE_PORT });
      this.#port = port;
      port.onMessage.addListener((/** @type {FromEngine} */ message) => this.#receive(message));
      port.onDisconnect.addListener(() => {
        if (this.#port !== port) return;
        this.#port = null;
        this.#again();
      });
      const pair = { source: this.sourceLanguage, target: this.targetLanguage, models: this.#models };
      port.postMessage({ type: "open", ...pair });
      for (const id of this.#pending.keys()) this.#submit(id);
    } catch (error) {
      this.#port = null;
      setTimeout(() => this.#again(error), 200);
    } finally {
      this.#connecting = false;
    }
  }

  /** @param {unknown} [error] */
  #again(error) {
    if (this.#pending.size === 0) return;
    if (++this.#breaks < MOST_BREAKS) {
      this.#connect();
      return;
    }
    this.#breaks = 0;
    this.#rejectAll(error ?? new Problem("noEngine"));
  }

  /** @param {number} id */
  #submit(id) {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const { text, nodes, priority } = pending;
    this.#post({ type: "block", id, text, nodes, priority });
  }

  /** @param {import("../protocol.js").ToEngine} message */
  #post(message) {
    try {
      this.#port?.postMessage(message);
    } catch {
      // The port has just broken; its event follows.
    }
  }

  /** @param {FromEngine} message */
  #receive(message) {
    this.#breaks = 0;
    if (message.type === "loading") {
      this.loaded = message.total > 0 ? message.loaded / message.total : 1;
      return;
    }
    this.loaded = 1;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === "translated") pending?.resolve({ text: message.text, places: message.places });
    else pending?.reject(new Problem(message.problem.kind, ...message.problem.parts));
  }
}
