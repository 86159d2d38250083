/**
 * What the page itself changes. Our own changes are never seen: the observer's records are taken before and dropped after.
 */
import { NativeMutationObserver } from "./dom.js";
import { OBSERVED_ATTRIBUTES } from "./rules.js";

/** More records than this are not worth keeping: it is cheaper to look at everything again. */
const MOST_RECORDS = 20_000;

export class Changes {
  #observer;
  /** @type {MutationRecord[]} */
  #records = [];
  #overflow = false;
  #onchange;

  /** @param {() => void} onchange */
  constructor(onchange) {
    this.#onchange = onchange;
    this.#observer = new NativeMutationObserver((records) => {
      this.#keep(records);
      this.#onchange();
    });
  }

  /** @param {Node} root */
  observe(root) {
    this.#observer.observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: OBSERVED_ATTRIBUTES,
    });
  }

  stop() {
    this.#observer.disconnect();
    this.#records = [];
  }

  get isEmpty() {
    return this.#records.length === 0 && !this.#overflow;
  }

  /** Whether there were so many changes that some were lost; asking resets it. */
  takeOverflow() {
    const overflow = this.#overflow;
    this.#overflow = false;
    return overflow;
  }

  /** @returns {MutationRecord[]} */
  take() {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  /** Changes the page without keeping a record of it. @param {() => void} action */
  ignoring(action) {
    this.#keep(this.#observer.takeRecords());
    try {
      action();
    } finally {
      this.#observer.takeRecords();
    }
  }

  /** @param {MutationRecord[]} records */
  #keep(records) {
    if (this.#records.length + records.length > MOST_RECORDS) {
      this.#overflow = true;
      this.#records = [];
      return;
    }
    for (const record of records) this.#records.push(record);
  }
}
