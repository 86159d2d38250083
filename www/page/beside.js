/**
 * Both languages: a block's translation under its original, in an element of its own.
 */
import {
  attributeOf,
  detach,
  documentOf,
  insert,
  isElement,
  nameOf,
  namespaceOf,
  nextSiblingOf,
  parentOf,
} from "./dom.js";
import { directionOf } from "./languages.js";

/** @typedef {import("./blocks.js").Block} Block */

/** Identifies the elements made here, even where the page has copied one. */
const CLASS = "notranslate wanderwort-translation";

/** Elements that hold nothing but text: their text is replaced in this way of reading too. */
const TEXT_ONLY = new Set(["title", "option", "textarea", "optgroup", "desc"]);

const HTML = "http://www.w3.org/1999/xhtml";

/** @type {Record<string, string>} */
const STYLE = {
  display: "block",
  margin: "0.15em 0 0.25em",
  "padding-inline-start": "0.5em",
  "border-inline-start": "0.2em solid color-mix(in srgb, currentColor 35%, transparent)",
  "font-style": "inherit",
  "text-transform": "inherit",
  "user-select": "text",
};

/** Whether there is room for another element beside a block's text. @param {Block} block */
export function hasRoom({ container }) {
  if (!isElement(container)) return true;
  return !TEXT_ONLY.has(nameOf(container)) && namespaceOf(container) === HTML;
}

/** Whether an element is such a translation. @param {Element} element */
export const isBeside = (element) => attributeOf(element, "class") === CLASS;

/**
 * Whether a page has aligned text to the side on which its own language begins, by naming that side: text written in the other direction
 * begins on the other side.
 * @param {Node} node
 * @param {"ltr" | "rtl"} direction of the text written the other way
 */
function isAlignedToStart(node, direction) {
  const view = documentOf(node)?.defaultView;
  if (!view || !isElement(node)) return false;
  // Browsers have names of their own for what the attribute `align` says.
  return view.getComputedStyle(node).textAlign.endsWith(direction === "rtl" ? "left" : "right");
}

/** @typedef {import("./apply.js").Shown} Shown */

/** @implements {Shown} */
export class Beside {
  /** @type {Element[]} */
  made = [];
  isPlain = false;
  replaces = false;
  text = "";

  /**
   * @param {Block} block
   * @param {import("./apply.js").TranslatedBlock} translation
   * @param {import("./page.js").BlockTranslator} translator
   */
  constructor(block, translation, { sourceLanguage, targetLanguage }) {
    const text = block.withKept(translation.text).trim();
    const last = block.lastTop;
    const parent = last && parentOf(last);
    if (!last || !parent || text === block.original.trim()) return;
    const element = /** @type {HTMLElement} */ (
      /** @type {Document} */ (documentOf(last)).createElementNS(HTML, "span")
    );
    element.className = CLASS;
    element.setAttribute("translate", "no");
    element.setAttribute("lang", targetLanguage);
    // Not "auto": a sentence may begin with a name in another script.
    const direction = directionOf(targetLanguage);
    element.setAttribute("dir", direction);
    const turned = direction !== directionOf(sourceLanguage) && isAlignedToStart(parent, direction);
    const style = turned ? { ...STYLE, "text-align": "start" } : STYLE;
    for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value);
    element.textContent = text;
    insert(parent, element, nextSiblingOf(last));
    this.made.push(element);
  }

  undo() {
    for (const element of this.made) detach(element);
  }
}
