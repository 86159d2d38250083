/**
 * Objects that can be gone through although nothing here keeps them alive. What the page drops is forgotten.
 * @template {object} T
 */
export class WeakItems {
  /** @type {Set<WeakRef<T>>} */
  #refs = new Set();
  /** @type {WeakMap<T, WeakRef<T>>} */
  #known = new WeakMap();
  #forgotten = new FinalizationRegistry((/** @type {WeakRef<T>} */ ref) => this.#refs.delete(ref));

  /** @param {T} item */
  add(item) {
    let ref = this.#known.get(item);
    if (!ref) {
      ref = new WeakRef(item);
      this.#known.set(item, ref);
      this.#forgotten.register(item, ref);
    }
    this.#refs.add(ref);
  }

  /** @param {T} item */
  delete(item) {
    const ref = this.#known.get(item);
    if (ref) this.#refs.delete(ref);
  }

  /** Those that are still there, and those that are added meanwhile. */
  *[Symbol.iterator]() {
    for (const ref of this.#refs) {
      const item = ref.deref();
      if (item) yield item;
    }
  }
}
