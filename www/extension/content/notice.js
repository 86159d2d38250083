/**
 * A box that tells the reader something beside a place in the page, until the reader goes on.
 */
import { makeOverlay, modalAround, setStyles, showOverlay } from "../../page/overlay.js";

/** Closes the box that is shown. */
let closeShown = () => {};

/**
 * Shows a box in the place of an earlier one.
 * @param {Element} element what it is about
 * @param {DOMRect} box where that is
 * @param {string} language of what is to be told
 * @param {() => void} [onclose]
 * @returns {(text: string) => void} tells the reader something, unless the box has been closed
 */
export function showNotice(element, box, language, onclose = () => {}) {
  closeShown();
  const host = makeOverlay(document, {
    ...{ font: "15px/1.45 system-ui, sans-serif", "max-height": "50vh", overflow: "auto", "white-space": "pre-wrap" },
  });
  host.setAttribute("role", "status");
  const output = document.createElement("p");
  setStyles(output, { margin: "0", "overflow-wrap": "anywhere" });
  output.lang = language;
  output.dir = "auto";
  host.attachShadow({ mode: "closed" }).append(output);
  const events = ["pointerdown", "keydown"];
  const close = () => {
    for (const type of events) document.removeEventListener(type, goOn, true);
    closeShown = () => {};
    host.remove();
    onclose();
  };
  const goOn = (/** @type {Event} */ event) => {
    if (event instanceof KeyboardEvent ? event.key !== "Escape" : event.composedPath().includes(host)) return;
    close();
  };
  for (const type of events) document.addEventListener(type, goOn, true);
  closeShown = close;
  (modalAround(element) ?? document.documentElement).append(host);
  const say = (/** @type {string} */ text) => {
    if (!host.isConnected) return;
    output.textContent = text;
    showOverlay(host, element, box);
  };
  say("…");
  return say;
}
