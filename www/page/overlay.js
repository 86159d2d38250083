/**
 * A box that lies over a page, beside what it is about. Its styles come from the script, since the page's policy may forbid others.
 */
import { composedParentOf, isElement, nameOf } from "./dom.js";

/**
 * Makes a box, which is in no page yet.
 * @param {Document} document
 * @param {Record<string, string>} styles in addition to those of every box
 */
export function makeOverlay(document, styles) {
  const host = document.createElement("div");
  host.className = "notranslate";
  host.setAttribute("translate", "no");
  host.setAttribute("popover", "manual");
  setStyles(host, {
    ...{ all: "initial", position: "fixed", "z-index": "2147483647", inset: "auto", margin: "0" },
    ...{ "max-width": "min(34em, calc(100vw - 16px))", "box-sizing": "border-box", padding: "8px 12px" },
    ...{ "border-radius": "8px", "color-scheme": "light dark", border: "1px solid GrayText" },
    ...{ background: "Canvas", color: "CanvasText", "box-shadow": "0 4px 16px rgb(0 0 0 / 0.25)" },
    ...styles,
  });
  return host;
}

/** The modal dialog that an element is in: outside of it nothing can be reached. @param {Element} element */
export function modalAround(element) {
  for (let at = /** @type {Node | null} */ (element); at; at = composedParentOf(at)) {
    if (isElement(at) && nameOf(at) === "dialog" && at.matches(":modal")) return at;
  }
  return null;
}

/**
 * Shows a box that is in the page.
 * @param {HTMLElement} host
 * @param {Element} element what it is about
 * @param {DOMRect} box where that is
 */
export function showOverlay(host, element, box) {
  host.style.setProperty("display", "block", "important");
  // In the browser's top layer nothing of the page lies above it, whatever was opened before.
  if (host.popover !== undefined && !host.matches(":popover-open")) host.showPopover();
  const { left, top } = placeBeside(host, element, box);
  host.style.setProperty("left", `${left}px`, "important");
  host.style.setProperty("top", `${top}px`, "important");
}

/** @param {HTMLElement} element @param {Record<string, string>} styles */
export function setStyles(element, styles) {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value, "important");
}

/** What the reader may want to reach. */
const CONTROLS = "input, select, textarea, button, [contenteditable], [role=textbox], [role=button]";

/** Space between a paragraph and its original, and at the window's edges. */
const GAP = 6;

/**
 * A place beside a paragraph within the window that covers as little of its controls as possible.
 * @param {HTMLElement} host
 * @param {Element} element
 * @param {DOMRect} box
 */
function placeBeside(host, element, box) {
  const { ownerDocument } = host;
  const { clientWidth, clientHeight } = ownerDocument.documentElement;
  const { width, height } = host.getBoundingClientRect();
  const fitLeft = (/** @type {number} */ left) => Math.max(GAP, Math.min(left, clientWidth - width - GAP));
  const fitTop = (/** @type {number} */ top) => Math.max(GAP, Math.min(top, clientHeight - height - GAP));
  const places = [
    { left: fitLeft(box.left), top: box.bottom + GAP },
    { left: fitLeft(box.left), top: box.top - height - GAP },
    { left: box.right + GAP, top: fitTop(box.top) },
    { left: box.left - width - GAP, top: fitTop(box.top) },
  ];
  const [first] = places;
  let best = { left: fitLeft(box.left), top: fitTop(first?.top ?? 0) };
  let least = Infinity;
  for (const { left, top } of places) {
    if (left < 0 || top < 0 || left + width > clientWidth || top + height > clientHeight) continue;
    let covered = 0;
    for (const control of ownerDocument.querySelectorAll(CONTROLS)) {
      if (host.contains(control) || control.contains(element)) continue;
      const rect = control.getBoundingClientRect();
      const wide = Math.min(rect.right, left + width) - Math.max(rect.left, left);
      const high = Math.min(rect.bottom, top + height) - Math.max(rect.top, top);
      if (wide > 0 && high > 0) covered += wide * high;
    }
    if (covered < least) [best, least] = [{ left, top }, covered];
  }
  return best;
}
