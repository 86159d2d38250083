export type TranslatedBlock = import("./apply.js").TranslatedBlock;
export type BlockTranslator = import("./page.js").BlockTranslator;
/** @typedef {import("./apply.js").TranslatedBlock} TranslatedBlock */
/** @typedef {import("./page.js").BlockTranslator} BlockTranslator */
/** Places in the order: what is in view, what nearly is, and the rest. */
export declare const PRIORITY: {
  readonly visible: 2;
  readonly near: 1;
  readonly rest: 0;
};
export type Priority = 0 | 1 | 2;
export type Item = {
  /**
   * equal for equal translations
   */
  key: string;
  text: string;
  /**
   * none for plain text
   */
  tree?: number[];
};
export type Group<I extends Item> = {
  items: Set<I>;
  priority: Priority;
  text: string;
  request?: import("../connection.js").BlockRequest;
};
/**
 * Items with the same key, translated once.
 * @template {Item} I
 * @typedef {{items: Set<I>, priority: Priority, text: string, request?: import("../connection.js").BlockRequest}} Group
 */
/** @template {Item} I */
export declare class Queue<I extends Item> {
  #private;
  /**
   * @param {BlockTranslator} translator
   * @param {(item: I, translation: TranslatedBlock) => void} ontranslation
   * @param {(items: I[], error: unknown) => void} onerror these items failed
   */
  constructor(
    translator: BlockTranslator,
    ontranslation: (item: I, translation: TranslatedBlock) => void,
    onerror: (items: I[], error: unknown) => void,
  );
  /** Items that are not translated yet, of a priority or more. @param {Priority} [least] */
  count(least?: Priority): number;
  /** What is known already. @param {I} item */
  known(item: I): import("./apply.js").TranslatedBlock | undefined;
  /** Adds an item, or moves it to another place. @param {I} item @param {Priority} priority */
  put(item: I, priority: Priority): void;
  /** Drops an item; nobody wants it any more. @param {I} item */
  drop(item: I): void;
  /** Drops everything. */
  clear(): void;
  /** Hands over what fits. */
  pump(): void;
}
