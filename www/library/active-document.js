/**
 * The document that a page's translators belong to.
 */

/** Chromium creates it when it is first accessed, and no longer does so once the document is gone. */
const Exception = globalThis.DOMException;

/**
 * The standard allows translators only for a document that is fully active: the one that its window shows. Workers and servers have
 * no document.
 * @throws {DOMException} `InvalidStateError`
 */
export function requireActiveDocument() {
  if (typeof document === "undefined") return;
  let active = false;
  try {
    active = document.defaultView?.document === document;
  } catch {
    // The window shows a document of another origin.
  }
  if (!active) throw new Exception("The document is not active.", "InvalidStateError");
}
