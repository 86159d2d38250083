/**
 * Tells what is in view, what nearly is, and what is not.
 */
import { NativeIntersectionObserver } from "./dom.js";
import { PRIORITY } from "./queue.js";

/** @typedef {import("./queue.js").Priority} Priority */

/** What is within a screen of the view is near. */
const NEAR = "100% 0px";

/** @template I */
export class Visibility {
  /** @type {WeakMap<Element, Set<I>>} */
  #items = new WeakMap();
  /** @type {WeakMap<Element, {visible: boolean, near: boolean}>} */
  #state = new WeakMap();
  #visible;
  #near;
  #onchange;

  /** @param {(item: I, priority: Priority) => void} onchange */
  constructor(onchange) {
    this.#onchange = onchange;
    this.#visible = new NativeIntersectionObserver((entries) => this.#update(entries, "visible"));
    this.#near = new NativeIntersectionObserver((entries) => this.#update(entries, "near"), { rootMargin: NEAR });
  }

  /** Follows an item with its element. @param {Element} target @param {I} item */
  watch(target, item) {
    const items = this.#items.get(target);
    if (items) {
      items.add(item);
      const state = this.#state.get(target);
      if (state) this.#onchange(item, priorityOf(state));
      return;
    }
    this.#items.set(target, new Set([item]));
    this.#near.observe(target);
    this.#visible.observe(target);
  }

  /** @param {Element} target @param {I} item */
  unwatch(target, item) {
    const items = this.#items.get(target);
    if (!items?.delete(item) || items.size > 0) return;
    this.#items.delete(target);
    this.#state.delete(target);
    this.#near.unobserve(target);
    this.#visible.unobserve(target);
  }

  stop() {
    this.#near.disconnect();
    this.#visible.disconnect();
  }

  /** @param {IntersectionObserverEntry[]} entries @param {"visible" | "near"} what */
  #update(entries, what) {
    for (const { target, isIntersecting } of entries) {
      const items = this.#items.get(target);
      if (!items) continue;
      let state = this.#state.get(target);
      if (!state) this.#state.set(target, (state = { visible: false, near: false }));
      state[what] = isIntersecting;
      for (const item of items) this.#onchange(item, priorityOf(state));
    }
  }
}

/** @param {{visible: boolean, near: boolean}} state @returns {Priority} */
const priorityOf = ({ visible, near }) => (visible ? PRIORITY.visible : near ? PRIORITY.near : PRIORITY.rest);
