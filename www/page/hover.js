/**
 * Shows the original of a paragraph while the pointer rests on it or the focus is in it.
 */
import { attributeOf, detach, focusAround, isElement } from "./dom.js";
import { makeOverlay, modalAround, setStyles, showOverlay } from "./overlay.js";

/** @typedef {import("./page.js").PageTranslation} PageTranslation */
/** @typedef {import("./changes.js").Changes} Changes */

/** How long the pointer has to rest. */
const REST_MS = 700;

/**
 * With Alt and Shift it does what the button does, so that neither the focus has to leave its place nor the page gets one more place for it.
 * By its position on the keyboard: with Alt many layouts write another character.
 */
const KEY = "KeyO";
const KEY_NAME = "Alt+Shift+O";

/**
 * What the reader is told, in English unless the page says otherwise.
 * @typedef {object} OriginalLabels
 * @property {string} original names what is shown
 * @property {string} showOriginal
 * @property {string} showTranslation
 * @property {string} language the language of these words, as a tag
 */

/** @type {OriginalLabels} */
const ENGLISH = {
  original: "Original",
  showOriginal: "Show original",
  showTranslation: "Show translation",
  language: "en",
};

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
  /** What has the focus and was told that the original is its details. @type {Element | null} */
  #related = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  #labels;

  /** @param {PageTranslation} page @param {Partial<OriginalLabels>} [labels] */
  constructor(page, labels) {
    this.#page = page;
    // What is given is in a language of its own, even if nobody says which.
    this.#labels = { ...ENGLISH, ...(labels && { language: "" }), ...labels };
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
    const document = this.#document;
    document?.removeEventListener("pointerover", this.#over, true);
    document?.removeEventListener("pointerup", this.#lifted, true);
    document?.removeEventListener("pointercancel", this.#lifted, true);
    document?.removeEventListener("pointerdown", this.#pressed, true);
    document?.removeEventListener("focusin", this.#focused, true);
    document?.removeEventListener("keydown", this.#key, true);
    document?.removeEventListener("scroll", this.#hide, true);
    this.#hide();
    this.#host = this.#text = this.#button = null;
    this.#document = null;
  }

  /** @param {Event} event */
  #over = (event) => {
    // What the pointer has passed on the way to the original is no longer waited for.
    if (this.#isInside(event)) return clearTimeout(this.#timer);
    this.#await(/** @type {Node} */ (event.composedPath()[0]), REST_MS);
  };

  /** A finger that does not rest wants something else. @param {PointerEvent} event */
  #lifted = (event) => {
    if (event.pointerType === "touch") clearTimeout(this.#timer);
  };

  /** @param {PointerEvent} event */
  #pressed = (event) => {
    if (this.#shownFor && !this.#isInside(event)) this.#hide();
  };

  /** @param {Event} event */
  #focused = (event) => {
    if (this.#isInside(event)) return clearTimeout(this.#timer);
    this.#await(/** @type {Node} */ (event.composedPath()[0]), 0);
  };

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (event.key === "Escape") this.#hide();
    const isKey = event.code === KEY && event.altKey && event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (!isKey || !this.#shownFor) return;
    event.preventDefault();
    event.stopPropagation();
    this.#toggle(this.#shownFor);
  };

  /** Whether something happens to the original itself. @param {Event} event */
  #isInside(event) {
    return this.#host !== null && event.composedPath().includes(this.#host);
  }

  /** @param {Node} node */
  #toggle(node) {
    this.#page.showOriginal(node, !this.#page.showsOriginal(node));
    this.#label(node);
  }

  /** @param {Node} node */
  #label(node) {
    const { showOriginal, showTranslation } = this.#labels;
    if (this.#button) this.#button.textContent = this.#page.showsOriginal(node) ? showTranslation : showOriginal;
  }

  /**
   * Tells assistive technology where the original of what has the focus is. Elements in shadow trees have no other way to refer to it.
   * @param {Node} target
   * @param {HTMLElement} host
   */
  #relate(target, host) {
    if (!isElement(target) || focusAround(target) !== target) return;
    if (!("ariaDetailsElements" in target) || attributeOf(target, "aria-details") !== null) return;
    target.ariaDetailsElements = [host];
    this.#related = target;
  }

  #unrelate() {
    const related = this.#related;
    this.#related = null;
    // Otherwise the page has set another since.
    if (related && attributeOf(related, "aria-details") === "") related.ariaDetailsElements = null;
  }

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
      this.#label(target);
      this.#unrelate();
      this.#relate(target, host);
      showOverlay(host, element, box);
    });
  }

  #hide = () => {
    clearTimeout(this.#timer);
    this.#shownFor = null;
    this.#changes?.ignoring(() => {
      this.#unrelate();
      if (this.#host) detach(this.#host);
    });
  };

  /**
   * Made when first needed.
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
    const host = makeOverlay(document, { font: "14px/1.45 system-ui, sans-serif" });
    const root = host.attachShadow({ mode: "closed" });
    const text = document.createElement("p");
    const button = document.createElement("button");
    const key = document.createElement("kbd");
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", this.#labels.original);
    host.lang = this.#labels.language;
    setStyles(text, { margin: "0 0 6px", "overflow-wrap": "anywhere" });
    setStyles(button, { font: "inherit", "font-size": "13px" });
    text.lang = this.#page.sourceLanguage;
    text.dir = "auto";
    setStyles(key, { font: "inherit", "font-size": "13px", "margin-inline-start": "8px" });
    key.textContent = KEY_NAME;
    // Said with the button.
    key.ariaHidden = "true";
    button.type = "button";
    button.setAttribute("aria-keyshortcuts", KEY_NAME);
    button.addEventListener("click", () => {
      const node = this.#shownFor;
      if (!node) return;
      this.#toggle(node);
      this.#hide();
    });
    root.append(text, button, key);
    this.#changes?.ignoring(() => place.append(host));
    [this.#host, this.#text, this.#button] = [host, text, button];
    return host;
  }
}
