/** Attributes whose change is of interest. */
export declare const OBSERVED_ATTRIBUTES: string[];
/** Attributes that decide whether something is translated. */
export declare const DECIDING_ATTRIBUTES: Set<string>;
/** @param {string} text */
export declare const hasWords: (text: string) => boolean;
/** The language without region and script. @param {string} tag */
export declare const primaryLanguage: (tag: string) => string;
export type State = {
  translate: boolean;
  /**
   * whether the text is in the language translated from
   */
  language: boolean;
  /**
   * the element whose `lang` says so; null for the document's
   */
  languageFrom: Element | null;
};
/**
 * Whether the content of an element is to be translated.
 * @typedef {object} State
 * @property {boolean} translate
 * @property {boolean} language whether the text is in the language translated from
 * @property {Element | null} languageFrom the element whose `lang` says so; null for the document's
 */
/** @param {State} state */
export declare const isOpen: (state: State) => boolean;
export type Reading = {
  /**
   * the primary language translated from
   */
  source: string;
  /**
   * an attribute as the page itself set it
   */
  attribute: (element: Element, name: string) => string | null;
};
/**
 * What the rules must know of the translation.
 * @typedef {object} Reading
 * @property {string} source the primary language translated from
 * @property {(element: Element, name: string) => string | null} attribute an attribute as the page itself set it
 */
/**
 * The state inside of an element.
 * @param {Element} element
 * @param {State} outer
 * @param {Reading} reading
 * @returns {State}
 */
export declare function stateInside(element: Element, outer: State, { source, attribute }: Reading): State;
/** @type {State} */
export declare const OPEN: State;
/**
 * The state inside of a node, from all that is above it; null if it is inside of something that is never looked into.
 * @param {Node} node
 * @param {Reading} reading
 * @returns {State | null}
 */
export declare function stateOf(node: Node, reading: Reading): State | null;
/** @param {Element} element */
export declare const isWordless: (element: Element) => boolean;
/** @param {Element} element */
export declare const isVerbatim: (element: Element) => boolean;
/**
 * Whether an element stands in a line of text, by its name and by how the page shows it.
 * @param {Element} element
 */
export declare function isInline(element: Element): boolean;
/**
 * Whether an element in a line is nevertheless a thing of its own, as the links of a menu are.
 * @param {Element} element
 */
export declare function standsAlone(element: Element): boolean;
/**
 * Whether line breaks in an element's text are shown as such.
 * @param {Element} element
 */
export declare function keepsLines(element: Element): boolean;
/**
 * The attributes of an element that have something to translate.
 * @param {Element} element
 * @returns {string[]}
 */
export declare function translatableAttributes(element: Element): string[];
