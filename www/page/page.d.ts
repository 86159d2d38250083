import { AttributeText, Block } from "./blocks.js";
export type Priority = import("./queue.js").Priority;
export type TranslatedBlock = import("./apply.js").TranslatedBlock;
export type Finder = import("./blocks.js").Finder;
export type State = import("./rules.js").State;
export type Item = Block | AttributeText;
export type BlockTranslator = {
  sourceLanguage: string;
  targetLanguage: string;
  translateBlock: (text: string, nodes: Uint32Array, priority: number) => import("../connection.js").BlockRequest;
};
export type PageOptions = {
  /**
   * the document to translate; this one unless given
   */
  document?: Document;
  /**
   * whether to translate frames that the page may look into; true unless given
   */
  frames?: boolean;
  /**
   * whether a paragraph's original is shown while the pointer rests on it or the
   * focus is in it; true unless given
   */
  originalOnHover?: boolean;
};
export type Progress = {
  /**
   * texts that are translated
   */
  translated: number;
  /**
   * texts that are known of and not translated yet
   */
  waiting: number;
  /**
   * those of them that are in view
   */
  visible: number;
};
export type PageEvent = {
  type: "progress" | "visible" | "complete" | "error";
  target: PageTranslation;
  /**
   * of `error`
   */
  message?: string;
  /**
   * of `error`
   */
  error?: unknown;
};
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
 * changes), `error` (the page stays as it is then).
 */
export declare class PageTranslation {
  #private;
  /**
   * @param {BlockTranslator} translator
   * @param {PageOptions} [options]
   */
  constructor(translator: BlockTranslator, options?: PageOptions);
  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  addEventListener(type: PageEvent["type"], listener: (event: PageEvent) => void): void;
  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  removeEventListener(type: PageEvent["type"], listener: (event: PageEvent) => void): void;
  /** Whether the page is being translated or is translated; false after `restore()`. */
  get isActive(): boolean;
  /** The language of the page's own text. */
  get sourceLanguage(): string;
  /** @returns {Progress} */
  get progress(): Progress;
  /** Resolves when everything is translated that the page holds now. @returns {Promise<void>} */
  get complete(): Promise<void>;
  /** Translates the page again after `restore()`. */
  resume(): void;
  /** Puts the whole page back as it was, as far as it has not changed itself. */
  restore(): void;
  /**
   * The paragraph that a node belongs to, if it is one that was translated.
   * @param {Node} node
   * @returns {Block | null}
   */
  blockAt(node: Node): Block | null;
  /** The original text of the paragraph at a node; null if it was not translated. @param {Node} node */
  originalOf(node: Node): string | null;
  /** Shows the original of the paragraph at a node, or its translation again. @param {Node} node @param {boolean} original */
  showOriginal(node: Node, original?: boolean): void;
}
