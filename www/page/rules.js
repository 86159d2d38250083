/**
 * Which parts of a page are translated and which are left alone: by the same table as for HTML files (`src/text/html.rs`), with the
 * layout having a say in what stands in a line and what does not.
 */
import { attributeOf, hasAttributes, nameOf } from "./dom.js";
import { TABLE } from "./table.js";

/** @param {string[]} lists */
const names = (...lists) => lists.flatMap((list) => list.split(" "));

const { border, preformatted, object, hidden, verbatim } = TABLE.elements;

/** Elements that end a run of text and inline elements. Labels of controls are texts of their own. */
const BLOCKS = new Set(names(border, preformatted));

/** Elements without words for a reader. */
const WORDLESS = new Set(names(object, hidden));

/** Elements whose words are not in any language. */
const VERBATIM = new Set(names(verbatim, preformatted));

/** Attributes with text for readers. */
const ATTRIBUTES = names(TABLE.attributes);

/** Kinds of `<input>` whose value is their label. */
const BUTTONS = new Set(names(TABLE.buttons));

/** Attributes whose changes matter. */
export const OBSERVED_ATTRIBUTES = [
  ...ATTRIBUTES,
  "value",
  "translate",
  "lang",
  "xml:lang",
  "contenteditable",
  "class",
];

/** Attributes that decide whether something is translated. */
export const DECIDING_ATTRIBUTES = new Set(["translate", "lang", "xml:lang", "contenteditable", "class"]);

/** Whether there is something to translate: numbers and symbols say the same in every language. */
const LETTER = /\p{L}/u;

/** @param {string} text */
export const hasWords = (text) => LETTER.test(text);

/** The language without region and script. @param {string} tag */
export const primaryLanguage = (tag) => (tag.trim().split(/[-_]/)[0] ?? "").toLowerCase();

/** Whether an element ends a run by its name, however it is shown. @param {Element} element */
export const isBorder = (element) => BLOCKS.has(nameOf(element));

/** @param {Element} element */
export const isWordless = (element) => WORDLESS.has(nameOf(element));

/** @param {Element} element */
export const isVerbatim = (element) => VERBATIM.has(nameOf(element));

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
    // The label of a submit button with a name is sent: `apply.js` makes sure that the original is.
    if (BUTTONS.has(type) && hasWords(attributeOf(element, "value") ?? "")) found.push("value");
  }
  return found;
}
