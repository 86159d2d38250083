/**
 * The trees that a page consists of: its document, shadow trees, and documents in frames, whenever they come.
 */
import {
  DOCUMENT,
  canHoldShadow,
  documentIn,
  documentOf,
  following,
  isConnected,
  isElement,
  nameOf,
  shadowRootOf,
  typeOf,
} from "./dom.js";
import { isOpen, stateOf, stateOfRoot } from "./states.js";
import { WeakItems } from "./weak-items.js";

/** @typedef {import("./states.js").State} State */
/** @typedef {import("./states.js").Reading} Reading */

/** Elements that show another document. */
const FRAMES = new Set(["iframe", "frame", "object", "embed"]);

/**
 * When to check whether an element has received a shadow tree: that causes no mutation, neither when its definition comes late nor when
 * a script attaches one. The last pause repeats.
 */
const LOOK_AGAIN_MS = [100, 400, 1500, 3000];

/** Nodes looked at between two looks at the clock. */
const STRIDE = 64;

export class Trees {
  #reading;
  #withFrames;
  #onroot;
  #onsubmit;
  #after;
  /** Documents and shadow trees. @type {WeakItems<Node>} */
  #roots = new WeakItems();
  /** @type {WeakSet<Node>} */
  #known = new WeakSet();
  /** Frames whose loading is listened to. @type {WeakItems<Element>} */
  #frames = new WeakItems();
  /** Whether their documents can be reached. @type {WeakMap<Element, boolean>} */
  #reached = new WeakMap();
  /** @type {Generator<void, void, void> | null} */
  #search = null;

  /**
   * @param {Reading} reading
   * @param {boolean} withFrames
   * @param {object} listener
   * @param {(root: Node, state: State) => void} listener.onroot a tree is there
   * @param {(event: FormDataEvent) => void} listener.onsubmit a form in a tree sends its fields
   * @param {(milliseconds: number, action: () => void) => void} listener.after a timer that ends with the run
   */
  constructor(reading, withFrames, { onroot, onsubmit, after }) {
    this.#reading = reading;
    this.#withFrames = withFrames;
    this.#onroot = onroot;
    this.#onsubmit = /** @type {EventListener} */ (/** @type {unknown} */ (onsubmit));
    this.#after = after;
    this.#lookForShadows(0);
  }

  /** The number of frames, perhaps with text, that the page may not look into. */
  get unreachable() {
    let count = 0;
    for (const frame of this.#frames) {
      if (frame.isConnected && !this.#reached.get(frame) && frame.checkVisibility?.() !== false) count++;
    }
    return count;
  }

  /** @param {Node} root @param {State} state */
  add(root, state) {
    if (this.#known.has(root)) return;
    this.#known.add(root);
    this.#roots.add(root);
    root.addEventListener("formdata", this.#onsubmit, true);
    this.#onroot(root, state);
  }

  /** Follows what an element shows besides its own children. @param {Element} element @param {State} inside */
  meet(element, inside) {
    const shadow = shadowRootOf(element);
    if (shadow) this.add(shadow, inside);
    if (this.#withFrames && isOpen(inside) && FRAMES.has(nameOf(element))) this.#meetFrame(element);
  }

  end() {
    for (const root of this.#roots) root.removeEventListener("formdata", this.#onsubmit, true);
    for (const frame of this.#frames) frame.removeEventListener("load", this.#loaded);
  }

  /** Goes on looking for shadow trees. @param {() => boolean} hasTime @returns {boolean} whether there is more to do */
  search(hasTime) {
    if (!this.#search) return false;
    while (hasTime()) {
      if (!this.#search.next().done) continue;
      this.#search = null;
      return false;
    }
    return true;
  }

  /** @param {number} round */
  #lookForShadows(round) {
    this.#after(LOOK_AGAIN_MS[round] ?? 0, () => {
      if (!this.#search && globalThis.document?.hidden !== true) this.#search = this.#everyElement();
      this.#lookForShadows(Math.min(round + 1, LOOK_AGAIN_MS.length - 1));
    });
  }

  *#everyElement() {
    let steps = 0;
    for (const root of this.#roots) {
      if (!isInUse(root)) continue;
      for (let node = /** @type {Node | null} */ (root); node; node = following(node, root, false)) {
        if (++steps % STRIDE === 0) yield;
        if (!isElement(node) || !canHoldShadow(node)) continue;
        const shadow = shadowRootOf(node);
        if (!shadow || this.#known.has(shadow)) continue;
        const state = stateOf(node, this.#reading);
        if (state) this.add(shadow, state);
      }
    }
  }

  /** @param {Element} frame */
  #meetFrame(frame) {
    if (!this.#reached.has(frame)) frame.addEventListener("load", this.#loaded);
    this.#frames.add(frame);
    this.#reached.set(frame, this.#enter(frame));
  }

  /** @param {Element} frame @returns {boolean} whether its document can be reached, if it has any */
  #enter(frame) {
    const content = documentIn(frame);
    if (content?.documentElement) this.add(content, stateOfRoot(content));
    if (content) return true;
    const name = nameOf(frame);
    // Pictures and empty boxes have no document.
    if (name === "object" || name === "embed") return !/html|xml|text\/plain/.test(frame.getAttribute("type") ?? "");
    return !frame.getAttribute("src") && !frame.hasAttribute("srcdoc");
  }

  /** @param {Event} event */
  #loaded = ({ currentTarget }) => this.#meetFrame(/** @type {Element} */ (currentTarget));
}

/** Whether a tree is in a document that a window shows; it may come back. @param {Node} root */
function isInUse(root) {
  const document = /** @type {Document | null} */ (typeOf(root) === DOCUMENT ? root : documentOf(root));
  return isConnected(root) && document?.defaultView !== null;
}
