/**
 * Shows the original of a paragraph while the pointer rests on it or the focus is in it.
 */
import { composedParentOf, detach, isElement, nameOf } from "./dom.js";

/** @typedef {import("./page.js").PageTranslation} PageTranslation */
/** @typedef {import("./changes.js").Changes} Changes */

/** How long the pointer has to rest. */
const REST_MS = 700;

/** Longer originals are cut; the whole one can be shown in its place. */
const MOST_SHOWN = 600;

export class OriginalOnHover {
  #page;
  /** @type {Changes | null} */
  #changes = null;
  /** @type {Document | null} */
  #document = null;
  /** @type {HTMLElement | null} */
  #host = null;
  /** @type {HTMLElement | null} */
  #text = null;
  /** @type {HTMLButtonElement | null} */
  #button = null;
  /** @type {Node | null} */
  #shownFor = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {PageTranslation} page */
  constructor(page) {
    this.#page = page;
  }

  /** @param {Document} document @param {Changes} changes what follows the page's changes, and is not to see those made here */
  start(document, changes) {
    this.#document = document;
    this.#changes = changes;
    document.addEventListener("pointerover", this.#over, { capture: true, passive: true });
    document.addEventListener("pointerup", this.#lifted, { capture: true, passive: true });
    document.addEventListener("pointercancel", this.#lifted, { capture: true, passive: true });
    document.addEventListener("pointerdown", this.#pressed, { capture: true, passive: true });
    document.addEventListener("focusin", this.#focused, true);
    document.addEventListener("keydown", this.#key, true);
    document.addEventListener("scroll", this.#hide, { capture: true, passive: true });
  }

  stop() {
    clearTimeout(this.#timer);
    const document = this.#document;
    document?.removeEventListener("pointerover", this.#over, true);
    document?.removeEventListener("pointerup", this.#lifted, true);
    document?.removeEventListener("pointercancel", this.#lifted, true);
    document?.removeEventListener("pointerdown", this.#pressed, true);
    document?.removeEventListener("focusin", this.#focused, true);
    document?.removeEventListener("keydown", this.#key, true);
    document?.removeEventListener("scroll", this.#hide, true);
    this.#changes?.ignoring(() => this.#host && detach(this.#host));
    this.#host = this.#text = this.#button = this.#shownFor = null;
    this.#document = null;
  }

  /** @param {Event} event */
  #over = (event) => {
    const target = /** @type {Node} */ (event.composedPath()[0]);
    if (this.#host && event.composedPath().includes(this.#host)) return;
    this.#await(target, REST_MS);
  };

  /** A finger that does not rest wants something else. @param {PointerEvent} event */
  #lifted = (event) => {
    if (event.pointerType === "touch") clearTimeout(this.#timer);
  };

  /** @param {PointerEvent} event */
  #pressed = (event) => {
    if (this.#shownFor && this.#host && !event.composedPath().includes(this.#host)) this.#hide();
  };

  /** @param {Event} event */
  #focused = (event) => {
    if (this.#host && event.composedPath().includes(this.#host)) return;
    this.#await(/** @type {Node} */ (event.composedPath()[0]), 0);
  };

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (event.key === "Escape") this.#hide();
  };

  /** @param {Node} target @param {number} milliseconds */
  #await(target, milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      try {
        this.#show(target);
      } catch {
        // The page still shows its translation.
      }
    }, milliseconds);
  }

  /** @param {Node} target */
  #show(target) {
    const original = this.#page.originalOf(target);
    const block = this.#page.blockAt(target);
    if (original === null || !block) return this.#hide();
    const element = block.target ?? (target instanceof Element ? target : null);
    const host = element && this.#ensure(modalAround(element));
    if (!host || !this.#text || !this.#button) return;
    this.#shownFor = target;
    const box = element.getBoundingClientRect();
    this.#changes?.ignoring(() => {
      const text = original.trim();
      if (this.#text) this.#text.textContent = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text;
      if (this.#button)
        this.#button.textContent = this.#page.showsOriginal(target) ? "Show translation" : "Show original";
      host.style.setProperty("display", "block", "important");
      // In the browser's top layer nothing of the page lies above it, whatever was opened before.
      if (host.popover !== undefined && !host.matches(":popover-open")) host.showPopover();
      const { left, top } = placeBeside(host, element, box);
      host.style.setProperty("left", `${left}px`, "important");
      host.style.setProperty("top", `${top}px`, "important");
    });
  }

  #hide = () => {
    clearTimeout(this.#timer);
    this.#shownFor = null;
    this.#changes?.ignoring(() => this.#host && detach(this.#host));
  };

  /**
   * Made when first needed; its styles come from the script, since the page's policy may forbid others.
   * @param {Element | null} modal a dialog outside of which nothing can be reached
   */
  #ensure(modal) {
    const document = this.#document;
    const place = modal ?? document?.documentElement;
    if (!document || !place) return null;
    const known = this.#host;
    if (known) {
      if (known.parentNode !== place) this.#changes?.ignoring(() => place.append(known));
      return known;
    }
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "closed" });
    const text = document.createElement("p");
    const button = document.createElement("button");
    host.className = "notranslate";
    host.setAttribute("translate", "no");
    host.setAttribute("popover", "manual");
    style(host, {
      ...{ all: "initial", position: "fixed", "z-index": "2147483647", inset: "auto", margin: "0" },
      ...{ "max-width": "min(34em, calc(100vw - 16px))", "box-sizing": "border-box", padding: "8px 12px" },
      ...{ font: "14px/1.45 system-ui, sans-serif", "border-radius": "8px", "color-scheme": "light dark" },
      ...{ background: "Canvas", color: "CanvasText", border: "1px solid GrayText" },
      "box-shadow": "0 4px 16px rgb(0 0 0 / 0.25)",
    });
    style(text, { margin: "0 0 6px", "overflow-wrap": "anywhere" });
    style(button, { font: "inherit", "font-size": "13px" });
    text.lang = this.#page.sourceLanguage;
    text.dir = "auto";
    button.type = "button";
    button.addEventListener("click", () => {
      const node = this.#shownFor;
      if (!node) return;
      this.#page.showOriginal(node, !this.#page.showsOriginal(node));
      this.#hide();
    });
    root.append(text, button);
    this.#changes?.ignoring(() => place.append(host));
    [this.#host, this.#text, this.#button] = [host, text, button];
    return host;
  }
}

/** The modal dialog that an element is in. @param {Element} element */
function modalAround(element) {
  for (let at = /** @type {Node | null} */ (element); at; at = composedParentOf(at)) {
    if (isElement(at) && nameOf(at) === "dialog" && at.matches(":modal")) return at;
  }
  return null;
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

/** @param {HTMLElement} element @param {Record<string, string>} properties */
function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, "important");
}
