/**
 * Whether the text at a place of the page is to be translated, and which language it is said to be in, according to all elements above it.
 */
import { areAlike } from "../library/alike.js";
import { DOCUMENT, composedParentOf, documentOf, hasAttributes, isDesigned, isElement, nameOf, typeOf } from "./dom.js";
import { isEdited, isOwnField } from "./editing.js";
import { isClosed } from "./kinds.js";
import { NO_LANGUAGE, languageOf, xmlLanguageOf } from "./languages.js";

/**
 * Whether the content of an element is to be translated.
 * @typedef {object} State
 * @property {boolean} translate
 * @property {boolean} language whether the text is in the language translated from
 * @property {Element | null} languageFrom the element whose `lang` says so; null for the document's
 * @property {string | null} declared the other language that the text is said to be in, perhaps wrongly; null for none
 * @property {Element | null} field the field of the page's own making that the text is in
 */

/** @param {State} state */
export const isOpen = (state) => state.translate && state.language;

/**
 * What the rules must know about the translation.
 * @typedef {object} Reading
 * @property {string} source the language translated from
 * @property {(element: Element, name: string) => string | null} attribute an attribute as the page itself set it
 * @property {boolean} judges whether the language of a text is detected, so that a wrong `lang` does no harm
 */

/**
 * The state inside of an element.
 * @param {Element} element
 * @param {State} outer
 * @param {Reading} reading
 * @returns {State}
 */
export function stateInside(element, outer, { source, attribute, judges }) {
  const field = isOwnField(element) ? element : outer.field;
  if (!hasAttributes(element)) return field === outer.field ? outer : { ...outer, field };
  let { translate, language, languageFrom, declared } = outer;
  const classes = attribute(element, "class")?.split(/\s+/);
  if (classes?.includes("notranslate")) translate = false;
  else if (classes?.includes("translate")) translate = true;
  const wish = attribute(element, "translate")?.toLowerCase();
  if (wish === "no") translate = false;
  else if (wish === "yes" || wish === "") translate = true;
  if (isEdited(element)) translate = false;
  // The document's own language often comes from a template and is wrong; whoever asks for the translation knows better.
  const tag = nameOf(element) === "html" ? null : (attribute(element, "lang") ?? xmlLanguageOf(element));
  if (tag !== null) {
    const said = languageOf(tag);
    // Of what is not quite a tag, only the language may be readable.
    declared = said === null || areAlike(said, source) || areAlike(tag, source) ? null : said;
    language = declared === null || (judges && declared !== NO_LANGUAGE);
    languageFrom = element;
  }
  const same = translate === outer.translate && language === outer.language && declared === outer.declared;
  if (same && languageFrom === outer.languageFrom && field === outer.field) return outer;
  return { translate, language, languageFrom, declared, field };
}

/** @type {State} */
export const OPEN = { translate: true, language: true, languageFrom: null, declared: null, field: null };

/** Whether two states belong to one text: both to be translated, and from the same language. @param {State} a @param {State} b */
export const isSameText = (a, b) => isOpen(a) === isOpen(b) && a.declared === b.declared;

/** The state of a document, which may be an editor as a whole. @param {Node} node */
export function stateOfRoot(node) {
  const page = typeOf(node) === DOCUMENT ? /** @type {Document} */ (node) : documentOf(node);
  return page && isDesigned(page) ? { ...OPEN, translate: false } : OPEN;
}

/**
 * The state inside a node, from everything above it; null if it is inside something that is never looked into.
 * @param {Node} node
 * @param {Reading} reading
 * @returns {State | null}
 */
export function stateOf(node, reading) {
  /** @type {Element[]} */
  const above = [];
  for (let at = /** @type {Node | null} */ (node); at; at = composedParentOf(at)) if (isElement(at)) above.push(at);
  let state = stateOfRoot(node);
  for (const element of above.reverse()) {
    if (isClosed(element)) return null;
    state = stateInside(element, state, reading);
  }
  return state;
}

/**
 * The state of an element's attributes, even of elements that are never looked into.
 * @param {Element} element
 * @param {Reading} reading
 */
export function stateAt(element, reading) {
  const parent = composedParentOf(element);
  const outer = parent ? stateOf(parent, reading) : stateOfRoot(element);
  return outer && stateInside(element, outer, reading);
}
