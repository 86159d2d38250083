/**
 * Shows the original of a paragraph while the pointer rests on it or the focus is in it.
 */
export type PageTranslation = import("./page.js").PageTranslation;
export type Changes = import("./changes.js").Changes;
export declare class OriginalOnHover {
  #private;
  /** @param {PageTranslation} page @param {Changes} changes */
  constructor(page: PageTranslation, changes: Changes);
  /** @param {Document} document */
  start(document: Document): void;
  stop(): void;
}
