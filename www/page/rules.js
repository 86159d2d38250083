/**
 * What of a page is translated, and what is left alone: the same rules as for HTML files (`src/text/html.rs`), with the
 * layout's own word on what stands in a line and what does not.
 */
import { attributeOf, hasAttributes, nameOf } from "./dom.js";

/** Elements that end a run of text and inline elements. Labels of controls are texts of their own. */
const BLOCKS = new Set(
  (
    "address article aside base blockquote body button caption center col colgroup dd details dialog dir div dl dt " +
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link " +
    "main menu meta nav noframes ol optgroup option p pre search section select slot summary table tbody td tfoot th " +
    "thead title tr ul"
  ).split(" "),
);

/** Elements without words for a reader. */
const WORDLESS = new Set(
  (
    "area audio canvas embed frame iframe img input link math meta meter noembed noframes noscript object param " +
    "progress script source style svg template textarea track video wbr"
  ).split(" "),
);

/** Elements whose words are not of a language. */
const VERBATIM = new Set("code kbd listing plaintext pre samp tt var xmp".split(" "));

/** Attributes with text for readers. */
const ATTRIBUTES = [
  "title",
  "alt",
  "placeholder",
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-placeholder",
  "aria-valuetext",
  "label",
  "abbr",
];

/** Attributes whose change is of interest. */
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
    const isButton = type === "button" || type === "submit" || type === "reset";
    if (isButton && hasWords(attributeOf(element, "value") ?? "")) found.push("value");
  }
  return found;
}
