/**
 * What the reader writes in: nothing of it is ever read as the page's text, or written into.
 */
import { attributeOf, documentOf, hostOf, isDesigned, isEditable, isElement, parentOf } from "./dom.js";

/** Roles of fields that pages make themselves. */
const FIELD_ROLES = new Set(["textbox", "searchbox", "spinbutton"]);

/** Whether the reader writes in an element. @param {Element} element */
export function isEdited(element) {
  if (FIELD_ROLES.has(attributeOf(element, "role")?.trim().toLowerCase() ?? "")) return true;
  return isEditable(element);
}

/**
 * Whether a node is in something that the reader writes in now; asked before every writing, since a page can make an editor of
 * anything without its observers hearing of it.
 * @param {Node} node
 */
export function isInEditor(node) {
  const page = documentOf(node);
  if (page && isDesigned(page)) return true;
  const at = isElement(node) ? node : (hostOf(node) ?? parentOf(node));
  return at !== null && isElement(at) && isEditable(at);
}
