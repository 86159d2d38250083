/**
 * How many texts the page shows in translation, and how many are left as they are.
 */
import { STATE } from "./blocks.js";
import { isConnected } from "./dom.js";
import { WeakItems } from "./weak-items.js";

/** @typedef {import("./blocks.js").Block | import("./blocks.js").AttributeText} Item */

export class Tally {
  /** @type {WeakItems<Item>} */
  #items = new WeakItems();

  /** Counts a text from now on, as long as the page holds it in one of these two states. @param {Item} item */
  add(item) {
    this.#items.add(item);
  }

  /** @param {Item} item that is gone */
  remove(item) {
    this.#items.delete(item);
  }

  /** What the page holds now. @returns {{translated: number, left: number}} */
  count() {
    const counted = { translated: 0, left: 0 };
    for (const item of this.#items) {
      // What was taken out may come back.
      if (!isConnected(item.anchor)) continue;
      if (item.state === STATE.shown) counted.translated++;
      else if (item.state === STATE.left) counted.left++;
    }
    return counted;
  }
}
