/**
 * What the reader writes in: none of it is ever read as the page's text, or written to.
 */
import {
  attributeOf,
  documentOf,
  hostOf,
  isDesigned,
  isEditable,
  isElement,
  matches,
  nameOf,
  parentOf,
} from "./dom.js";

/** Roles of fields that pages make themselves. */
const FIELD_ROLES = new Set(["textbox", "searchbox", "spinbutton"]);

/** Whether the reader writes in an element. @param {Element} element */
export function isEdited(element) {
  if (FIELD_ROLES.has(attributeOf(element, "role")?.trim().toLowerCase() ?? "")) return true;
  return isEditable(element);
}

/**
 * Whether a node is in something that the reader writes in now; checked before every write, since a page can turn anything into an editor
 * without its observers being told.
 * @param {Node} node
 */
export function isInEditor(node) {
  const page = documentOf(node);
  if (page && isDesigned(page)) return true;
  const at = isElement(node) ? node : (hostOf(node) ?? parentOf(node));
  return at !== null && isElement(at) && isEditable(at);
}

/** Whether an element is a field that the page has made itself: no other custom element can be enabled or disabled. @param {Element} element */
export const isOwnField = (element) => nameOf(element).includes("-") && matches(element, ":enabled, :disabled");

/** @param {string} text */
const plain = (text) => text.replace(/\s+/g, " ").trim();

/**
 * Whether a text is what the reader has typed into a field of the page's own making: then it, or a line of it, is the field's value. A value
 * that the page has fixed in the attribute belongs to a button or a choice, and its text is a label. A content script may not see the
 * value in Chromium.
 * @param {Element} field
 * @param {string} text
 */
export function isTypedInto(field, text) {
  /** @type {unknown} */
  let value;
  try {
    const own = /** @type {any} */ (field);
    value = (own.wrappedJSObject ?? own).value;
  } catch {
    // The page's own code has failed.
  }
  if (typeof value !== "string" || value === attributeOf(field, "value")) return false;
  const typed = plain(text);
  return typed === plain(value) || value.split("\n").some((line) => plain(line) === typed);
}

/**
 * Whether a style makes the contents of a node editable, which the element itself does not tell.
 * @param {Node} container
 */
export function isStyledAsEditor(container) {
  const element = isElement(container) ? container : hostOf(container);
  if (!element) return false;
  const { webkitUserModify } = /** @type {any} */ (getComputedStyle(element));
  return typeof webkitUserModify === "string" && webkitUserModify.startsWith("read-write");
}
