/**
 * What of a page is translated, and what is left alone: by the same table as for HTML files (`src/text/html.rs`), with the
 * layout's own word on what stands in a line and what does not.
 */
import { attributeOf, composedParentOf, firstChildOf, hasAttributes, isElement, nameOf } from "./dom.js";
import { TABLE } from "./table.js";

/** @param {string[]} lists */
const names = (...lists) => lists.flatMap((list) => list.split(" "));

const { border, preformatted, object, hidden, verbatim } = TABLE.elements;

/** Elements that end a run of text and inline elements. Labels of controls are texts of their own. */
const BLOCKS = new Set(names(border, preformatted));

/** Elements without words for a reader. */
const WORDLESS = new Set(names(object, hidden));

/** Elements whose words are not of a language. */
const VERBATIM = new Set(names(verbatim, preformatted));

/** Attributes with text for readers. */
const ATTRIBUTES = names(TABLE.attributes);

/** Kinds of `<input>` whose value is their label. */
const BUTTONS = new Set(names(TABLE.buttons));

/** Attributes whose change is of interest. */
export const OBSERVED_ATTRIBUTES = [...ATTRIBUTES, "value", "translate", "lang", "contenteditable", "class"];

/** Attributes that decide whether something is translated. */
export const DECIDING_ATTRIBUTES = new Set(["translate", "lang", "contenteditable", "class"]);

/** Whether there is something to translate: numbers and symbols say the same in every language. */
const LETTER = /\p{L}/u;

/** @param {string} text */
export const hasWords = (text) => LETTER.test(text);

/** The language without region and script. @param {string} tag */
export const primaryLanguage = (tag) => (tag.trim().split(/[-_]/)[0] ?? "").toLowerCase();

/**
 * Whether the content of an element is to be translated.
 * @typedef {object} State
 * @property {boolean} translate
 * @property {boolean} language whether the text is in the language translated from
 * @property {Element | null} languageFrom the element whose `lang` says so; null for the document's
 */

/** @param {State} state */
export const isOpen = (state) => state.translate && state.language;

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
export function stateInside(element, outer, { source, attribute }) {
  if (!hasAttributes(element)) return outer;
  let { translate, language, languageFrom } = outer;
  const wish = attribute(element, "translate")?.toLowerCase();
  if (wish === "no") translate = false;
  else if (wish === "yes" || wish === "") translate = true;
  if (attribute(element, "class")?.split(/\s+/).includes("notranslate")) translate = false;
  const editable = attribute(element, "contenteditable");
  if (editable !== null && editable.toLowerCase() !== "false") translate = false;
  // The document's own language is often a template's and wrong; who asks for the translation knows better.
  const tag = nameOf(element) === "html" ? null : attribute(element, "lang");
  if (tag !== null && tag.trim() !== "") {
    language = primaryLanguage(tag) === source;
    languageFrom = element;
  }
  if (translate === outer.translate && language === outer.language && languageFrom === outer.languageFrom) return outer;
  return { translate, language, languageFrom };
}

/** @type {State} */
export const OPEN = { translate: true, language: true, languageFrom: null };

/**
 * The state inside of a node, from all that is above it; null if it is inside of something that is never looked into.
 * @param {Node} node
 * @param {Reading} reading
 * @returns {State | null}
 */
export function stateOf(node, reading) {
  /** @type {Element[]} */
  const above = [];
  for (let at = /** @type {Node | null} */ (node); at; at = composedParentOf(at)) if (isElement(at)) above.push(at);
  let state = OPEN;
  for (const element of above.reverse()) {
    if (isWordless(element) || isVerbatim(element)) return null;
    state = stateInside(element, state, reading);
  }
  return state;
}

/** @param {Element} element */
export const isWordless = (element) => WORDLESS.has(nameOf(element));

/** @param {Element} element */
export const isVerbatim = (element) => VERBATIM.has(nameOf(element));

/**
 * Whether an element stands in a line of text, by its name and by how the page shows it.
 * @param {Element} element
 */
export function isInline(element) {
  if (BLOCKS.has(nameOf(element))) return false;
  if (firstChildOf(element) === null) return true;
  const { display } = getComputedStyle(element);
  return display === "" || display === "none" || /^(inline|contents|ruby)/.test(display);
}

/**
 * Whether an element in a line is nevertheless a thing of its own, as the links of a menu are.
 * @param {Element} element
 */
export function standsAlone(element) {
  const name = nameOf(element);
  return name === "a" || name === "label" || /^inline-/.test(getComputedStyle(element).display);
}

/**
 * Whether line breaks in an element's text are shown as such.
 * @param {Element} element
 */
export function keepsLines(element) {
  const { whiteSpace } = getComputedStyle(element);
  return /^(pre|break-spaces)/.test(whiteSpace);
}

/**
 * The attributes of an element that have something to translate.
 * @param {Element} element
 * @returns {string[]}
 */
export function translatableAttributes(element) {
  if (!hasAttributes(element)) return [];
  const found = ATTRIBUTES.filter((name) => hasWords(attributeOf(element, name) ?? ""));
  if (nameOf(element) === "input") {
    const type = (attributeOf(element, "type") ?? "").toLowerCase();
    // What a submit button with a name says is sent.
    const isSent = type === "submit" && (attributeOf(element, "name") ?? "") !== "";
    if (BUTTONS.has(type) && !isSent && hasWords(attributeOf(element, "value") ?? "")) found.push("value");
  }
  return found;
}
