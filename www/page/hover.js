/**
 * Shows the original of a paragraph while the pointer rests on it or the focus is in it.
 */

/** @typedef {import("./page.js").PageTranslation} PageTranslation */
/** @typedef {import("./changes.js").Changes} Changes */

/** So long the pointer has to rest. */
const REST_MS = 700;

/** Longer originals are cut; the whole one can be had in its place. */
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

  /** @param {Document} document @param {Changes} changes what follows the page's changes, and is not to see these */
  start(document, changes) {
    this.#document = document;
    this.#changes = changes;
    document.addEventListener("pointerover", this.#over, { capture: true, passive: true });
    document.addEventListener("focusin", this.#focused, true);
    document.addEventListener("keydown", this.#key, true);
    document.addEventListener("scroll", this.#hide, { capture: true, passive: true });
  }

  stop() {
    clearTimeout(this.#timer);
    const document = this.#document;
    document?.removeEventListener("pointerover", this.#over, true);
    document?.removeEventListener("focusin", this.#focused, true);
    document?.removeEventListener("keydown", this.#key, true);
    document?.removeEventListener("scroll", this.#hide, true);
    this.#changes?.ignoring(() => this.#host?.remove());
    this.#host = this.#text = this.#button = this.#shownFor = null;
    this.#document = null;
  }

  /** @param {Event} event */
  #over = (event) => {
    const target = /** @type {Node} */ (event.composedPath()[0]);
    if (this.#host && event.composedPath().includes(this.#host)) return;
    this.#await(target, REST_MS);
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
        // The page shows its translation all the same.
      }
    }, milliseconds);
  }

  /** @param {Node} target */
  #show(target) {
    const original = this.#page.originalOf(target);
    const block = this.#page.blockAt(target);
    if (original === null || !block) return this.#hide();
    const host = this.#ensure();
    if (!host || !this.#text || !this.#button) return;
    this.#shownFor = target;
    const element = block.target ?? (target instanceof Element ? target : null);
    const box = element?.getBoundingClientRect();
    if (!box) return;
    this.#changes?.ignoring(() => {
      const text = original.trim();
      if (this.#text) this.#text.textContent = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)} …` : text;
      if (this.#button) this.#button.textContent = this.#page.showsOriginal(target) ? "Translate" : "Original";
      host.style.setProperty("display", "block", "important");
      const { clientWidth = 0, clientHeight = 0 } = this.#document?.documentElement ?? {};
      const { width, height } = host.getBoundingClientRect();
      const left = Math.max(8, Math.min(box.left, clientWidth - width - 8));
      const below = box.bottom + 6;
      const top = below + height < clientHeight ? below : Math.max(8, box.top - height - 6);
      host.style.setProperty("left", `${left}px`, "important");
      host.style.setProperty("top", `${top}px`, "important");
    });
  }

  #hide = () => {
    clearTimeout(this.#timer);
    this.#shownFor = null;
    this.#changes?.ignoring(() => this.#host?.style.setProperty("display", "none", "important"));
  };

  /** Made when first wanted; its styles come from the script, since the page's policy may forbid others. */
  #ensure() {
    const document = this.#document;
    if (!document?.documentElement) return null;
    if (this.#host?.isConnected) return this.#host;
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "closed" });
    const text = document.createElement("p");
    const button = document.createElement("button");
    host.className = "notranslate";
    host.setAttribute("translate", "no");
    style(host, {
      ...{ all: "initial", display: "none", position: "fixed", "z-index": "2147483647" },
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
    this.#changes?.ignoring(() => document.documentElement.append(host));
    [this.#host, this.#text, this.#button] = [host, text, button];
    return host;
  }
}

/** @param {HTMLElement} element @param {Record<string, string>} properties */
function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, "important");
}
