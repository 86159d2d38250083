export type Block = import("./blocks.js").Block;
export type TranslatedBlock = {
  text: string;
  /**
   * four numbers for each node, see `Translator.translateBlock`
   */
  places: ArrayLike<number>;
};
/** @typedef {import("./blocks.js").Block} Block */
/**
 * A block's translation as it comes from the engine.
 * @typedef {object} TranslatedBlock
 * @property {string} text
 * @property {ArrayLike<number>} places four numbers for each node, see `Translator.translateBlock`
 */
/**
 * What was written into a page, and what stood there before.
 */
export declare class Originals {
  #private;
  /** A text node's own text, whatever it shows. @param {Text} text */
  textOf(text: Text): string;
  /** @param {Text} text @param {string} data */
  writeText(text: Text, data: string): void;
  /** @param {Text} text */
  restoreText(text: Text): void;
  /** An attribute as the page itself set it. @param {Element} element @param {string} name */
  attributeOf(element: Element, name: string): string | null;
  /** Whether an attribute shows what was written into it. @param {Element} element @param {string} name */
  isWritten(element: Element, name: string): boolean;
  /** @param {Element} element @param {string} name @param {string | null} value */
  writeAttribute(element: Element, name: string, value: string | null): void;
  /** @param {Element} element @param {string} name */
  restoreAttribute(element: Element, name: string): void;
  /** @param {Element} element */
  restoreAttributes(element: Element): void;
}
/**
 * The button that sends a form sends its label too, and a server may go by it.
 * @param {FormDataEvent} event
 * @param {Originals} originals
 */
export declare function sendOriginals({ target, formData }: FormDataEvent, originals: Originals): void;
/** A block's translation in the page. */
export declare class Applied {
  #private;
  /**
   * Writes the translation.
   * @param {Block} block whose nodes are as they were collected, see {@link isIntact}
   * @param {TranslatedBlock} translation
   * @param {Originals} originals
   */
  constructor(block: Block, translation: TranslatedBlock, originals: Originals);
  /** Whether only text has changed, so that the page can be read as if it were untranslated. */
  get isPlain(): boolean;
  /** Text nodes that were made for it. */
  get made(): Text[];
  /** Puts the original back, as far as the page has not changed what is there. */
  undo(): void;
}
/**
 * Whether nothing of a block has changed since it was collected.
 * @param {Block} block
 * @param {Originals} originals
 */
export declare function isIntact(block: Block, originals: Originals): boolean;
