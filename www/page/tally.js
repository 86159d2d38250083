/**
 * How many texts the page shows in translation, and how many are left as they are.
 */
import { STATE } from "./blocks.js";
import { isConnected } from "./dom.js";

/** @typedef {import("./blocks.js").Block | import("./blocks.js").AttributeText} Item */

export class Tally {
  /** Texts that were counted once; the page may have dropped some since. @type {Set<WeakRef<Item>>} */
  #items = new Set();
  /** @type {WeakMap<Item, WeakRef<Item>>} */
  #refs = new WeakMap();

  /** Counts a text from now on, as long as the page holds it in one of these two states. @param {Item} item */
  add(item) {
    let ref = this.#refs.get(item);
    if (!ref) this.#refs.set(item, (ref = new WeakRef(item)));
    this.#items.add(ref);
  }

  /** What the page holds now. @returns {{translated: number, left: number}} */
  count() {
    const counted = { translated: 0, left: 0 };
    for (const ref of this.#items) {
      const item = ref.deref();
      if (!item || item.state === STATE.gone) this.#items.delete(ref);
      // What was taken out may come back.
      else if (!isConnected(item.anchor)) continue;
      else if (item.state === STATE.shown) counted.translated++;
      else if (item.state === STATE.left) counted.left++;
    }
    return counted;
  }
}
