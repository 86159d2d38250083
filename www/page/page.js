/**
 * The translation of a live page.
 */
import { NativePromise } from "../library/natives.js";
import { Originals } from "./apply.js";
import { STATE } from "./blocks.js";
import { Cache } from "./cache.js";
import { OriginalOnHover } from "./hover.js";
import { Run } from "./run.js";

/**
 * What translates: a `Translator`, or something that passes its requests on.
 * @typedef {object} BlockTranslator
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(text: string, nodes: Uint32Array, priority: number) => import("../library/connection.js").BlockRequest} translateBlock
 */

/**
 * What detects languages: a `LanguageDetector`, the library's or the browser's own.
 * @typedef {object} Detector
 * @property {(text: string) => Promise<{detectedLanguage: string, confidence: number}[]>} detect
 */

/**
 * @typedef {object} PageOptions
 * @property {Document} [document] the document to translate; this one by default
 * @property {boolean} [frames] whether to translate frames that the page may look into; true by default
 * @property {"translation" | "both"} [show] the translation in the place of the original, or under it; `translation` by default
 * @property {(text: string) => Promise<string | null>} [detectLanguage] tells the language of a text, as a BCP 47 tag, if it is sure; by
 *   default the browser's own detector, where there is one
 * @property {Detector} [detector] tells it instead of `detectLanguage`, as far as it is sure
 * @property {(language: string) => BlockTranslator | null | Promise<BlockTranslator | null>} [translatorFor] who translates texts in a
 *   language other than the page's, if anybody does
 * @property {boolean} [originalOnHover] whether a paragraph's original is shown while the pointer rests on it or the
 *   focus is in it; true by default
 * @property {Partial<import("./hover.js").OriginalLabels>} [originalLabels] what is said there, in place of English
 */

/**
 * How far the translation is.
 * @typedef {object} Progress
 * @property {number} translated texts that the page shows in translation
 * @property {number} waiting texts that are known and not translated yet
 * @property {number} visible those of them that are in view
 * @property {number} left texts that stay as they are: they are in other languages, or could not be translated
 * @property {number} unreachable frames that the page may not look into, whose text stays as it is
 */

/** Sent to a document when a translation of it begins: one is enough, even where the other belongs to an extension, or to its previous version. */
const TAKEOVER = "wanderwort-takeover";

/**
 * Makes whatever translates a document put it back.
 * @param {Document} document
 */
export const takeOver = (document) => document.dispatchEvent(new CustomEvent(TAKEOVER));

/** @type {Progress} */
const NOTHING = { translated: 0, waiting: 0, visible: 0, left: 0, unreachable: 0 };

/** About what a long article and its menus take. */
const CACHE_SIZE = 2_000_000;

/**
 * What a listener is told.
 * @typedef {object} PageEvent
 * @property {"progress" | "visible" | "complete" | "error"} type
 * @property {PageTranslation} target
 * @property {string} [message] of `error`
 * @property {unknown} [error] of `error`
 */

/**
 * A page in translation. Events: `progress`, `visible` (what is in view is translated), `complete` (everything is, until the page
 * changes), `error` (the page then stays as it is).
 */
export class PageTranslation {
  /** Content scripts in Firefox cannot extend `EventTarget`. @type {Map<string, Set<(event: PageEvent) => void>>} */
  #listeners = new Map();
  /** @type {import("./run.js").Page} */
  #page;
  /** @type {Run | null} */
  #run = null;
  #hover;

  /**
   * @param {BlockTranslator} translator
   * @param {PageOptions} [options]
   */
  constructor(translator, options = {}) {
    this.#page = {
      document: options.document ?? document,
      translator,
      options,
      originals: new Originals(),
      cache: new Cache(CACHE_SIZE),
      dispatch: (type, details) => this.#dispatch(type, details),
    };
    this.#hover = (options.originalOnHover ?? true) ? new OriginalOnHover(this, options.originalLabels) : null;
    this.resume();
  }

  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  addEventListener(type, listener) {
    const listeners = this.#listeners.get(type);
    if (listeners) listeners.add(listener);
    else this.#listeners.set(type, new Set([listener]));
  }

  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  removeEventListener(type, listener) {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Whether the page is being translated or is translated; false after `restore()`. */
  get isActive() {
    return this.#run !== null;
  }

  /** The language of the page's own text. */
  get sourceLanguage() {
    return this.#page.translator.sourceLanguage;
  }

  /** What is shown: the translation, or both languages. */
  get show() {
    return this.#page.options.show ?? "translation";
  }

  set show(show) {
    if (show === this.show) return;
    const wasActive = this.isActive;
    this.restore();
    this.#page.options = { ...this.#page.options, show };
    if (wasActive) this.resume();
  }

  /** @returns {Progress} */
  get progress() {
    return this.#run?.progress ?? NOTHING;
  }

  /** Resolves when everything that the page holds now is translated. @returns {Promise<void>} */
  get complete() {
    return this.#run?.complete ?? NativePromise.resolve();
  }

  /** Translates the page again after `restore()`. */
  resume() {
    if (this.#run) return;
    const { document } = this.#page;
    takeOver(document);
    document.addEventListener(TAKEOVER, this.#giveWay);
    this.#run = new Run(this.#page);
    this.#hover?.start(this.#page.document, this.#run.changes);
  }

  /** Puts the whole page back as it was, except where it has changed itself. */
  restore() {
    if (!this.#run) return;
    this.#hover?.stop();
    this.#page.document.removeEventListener(TAKEOVER, this.#giveWay);
    this.#run.end();
    this.#run = null;
    this.#dispatch("progress");
  }

  #giveWay = () => this.restore();

  /**
   * The paragraph that a node belongs to, if it is one that was translated.
   * @param {Node} node
   */
  blockAt(node) {
    return this.#run?.registry.blockAt(node) ?? null;
  }

  /** The original text of the paragraph at a node; null if it was not translated. @param {Node} node */
  originalOf(node) {
    const block = this.blockAt(node);
    return block && (block.state === STATE.shown || block.state === STATE.original) ? block.original : null;
  }

  /** Whether the reader sees the original of the paragraph at a node. @param {Node} node */
  showsOriginal(node) {
    return this.blockAt(node)?.state === STATE.original;
  }

  /** Shows the original of the paragraph at a node, or its translation again. @param {Node} node @param {boolean} original */
  showOriginal(node, original = true) {
    const block = this.blockAt(node);
    if (block) this.#run?.showOriginal(block, original);
  }

  /** @param {PageEvent["type"]} type @param {{message?: string, error?: unknown}} [details] */
  #dispatch(type, details = {}) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        listener({ type, target: this, ...details });
      } catch (error) {
        // A listener's error is its own affair.
        console.error(error);
      }
    }
  }
}
