/**
 * How the page shows its elements: what stands in a line of text, and what is a box of its own.
 */
import { attributeOf, firstChildOf, isElement, isText, nameOf, nextSiblingOf, parentOf } from "./dom.js";
import { isOwnField } from "./editing.js";
import { isSvgBorder } from "./kinds.js";
import { isBorder } from "./rules.js";

/** Elements that say nothing about their text and that pages put into lines by style. */
const NEUTRAL = new Set(["div", "figure", "section", "article", "header", "footer", "center"]);

/** The longest text of a letter or word set apart at a paragraph's beginning. */
const LONGEST_INITIAL = 16;

const STARTS_SMALL = /^[\s"'“‘(]*\p{Ll}/u;
const ENDS_SENTENCE = /[.!?…:;。！？]["'”’)\]]*\s*$/u;

/** @param {string | undefined | null} text */
const goesOn = (text) => STARTS_SMALL.test(text ?? "");

/** @param {Element} element @returns {Element | null} */
function nextElement(element) {
  let at = nextSiblingOf(element);
  while (at && isText(at) && !/\S/.test(at.textContent ?? "")) at = nextSiblingOf(at);
  return at && isElement(at) ? at : null;
}

/** An initial or a first word that the text flows around. @param {Element} element */
function isInitial(element) {
  const text = element.textContent ?? "";
  if (text.length > LONGEST_INITIAL || /\s\S/.test(text.trim())) return false;
  for (let before = element.previousSibling; before; before = before.previousSibling) {
    if (/\S/.test(before.textContent ?? "")) return false;
  }
  const next = nextSiblingOf(element);
  // Shown once for the eye, said once more for the ear.
  if (next?.textContent === text && attributeOf(element, "aria-hidden") === "true") {
    return goesOn(nextSiblingOf(next)?.textContent);
  }
  return next !== null && goesOn(next.textContent);
}

/** Text for those who hear the page, not for those who see it. @param {Element} element @param {CSSStyleDeclaration} style */
function isForHearing(element, { clip, clipPath, width, height, overflowX }) {
  const small = parseFloat(width) <= 1 && parseFloat(height) <= 1;
  return overflowX === "hidden" && (small || clipPath !== "none" || clip !== "auto");
}

/**
 * Lines of one sentence, each in an element of its own, as scripts make them for animations.
 * @param {Element} element
 */
function isLineOfSentence(element) {
  const parent = parentOf(element);
  if (
    !parent ||
    !isElement(parent) ||
    !/^(block|inline-block|inline|list-item|table-cell)$/.test(getComputedStyle(parent).display)
  )
    return false;
  const text = element.textContent ?? "";
  const next = nextElement(element);
  if (next && nameOf(next) === nameOf(element) && goesOn(next.textContent) && !ENDS_SENTENCE.test(text)) return true;
  const before = element.previousElementSibling;
  return (
    before !== null &&
    nameOf(before) === nameOf(element) &&
    goesOn(text) &&
    !ENDS_SENTENCE.test(before.textContent ?? "")
  );
}

/**
 * Whether an element stands in a line of text, by its name and by how the page shows it.
 * @param {Element} element
 */
export function isInline(element) {
  const inSvg = isSvgBorder(element);
  if (inSvg !== undefined) return !inSvg;
  if (isBorder(element)) {
    if (!NEUTRAL.has(nameOf(element)) || firstChildOf(element) === null) return false;
    return /^inline/.test(getComputedStyle(element).display);
  }
  if (isOwnField(element)) return false;
  // What goes into another place of a shadow tree is not in this line.
  if (attributeOf(element, "slot") !== null && isHost(parentOf(element))) return false;
  if (firstChildOf(element) === null) return true;
  const style = getComputedStyle(element);
  const { display, position } = style;
  if (display === "" || display === "none" || /^(inline|contents|ruby|math)/.test(display)) return true;
  if (style.cssFloat !== "none") return isInitial(element);
  if (position === "absolute" || position === "fixed") return isForHearing(element, style) || isInitial(element);
  return display === "block" && isLineOfSentence(element);
}

/** @param {Node | null} node */
const isHost = (node) => node !== null && isElement(node) && node.shadowRoot !== null;

/** Whether the text flows around an element. @param {Element} element */
export const isFloating = (element) => getComputedStyle(element).cssFloat !== "none";

/** Whether an element begins a line of its own. @param {Element} element */
export const beginsLine = (element) => {
  const { display, cssFloat, position } = getComputedStyle(element);
  return display === "block" && cssFloat === "none" && !/^(absolute|fixed)$/.test(position);
};

/** Whether an element is a box in the line. @param {Element} element */
export const isBoxInLine = (element) => /^inline-/.test(getComputedStyle(element).display);

/**
 * Whether line breaks in an element's text are shown as such.
 * @param {Element} element
 */
export function keepsLines(element) {
  return /^(pre|break-spaces)/.test(getComputedStyle(element).whiteSpace);
}
