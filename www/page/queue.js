/**
 * What waits for the engine, in the order in which the reader wants it. Only as much as keeps the engine busy for a moment is handed over,
 * so that the order can change until shortly before.
 */
import { NativePromise } from "../library/natives.js";

/** @typedef {import("./apply.js").TranslatedBlock} TranslatedBlock */
/**
 * @template T
 * @typedef {import("./cache.js").Cache<T>} Cache
 */
/** @typedef {import("./page.js").BlockTranslator} BlockTranslator */

/** Places in the order: what is in view, what nearly is, and the rest. */
export const PRIORITY = /** @type {const} */ ({ visible: 2, near: 1, rest: 0 });

/** @typedef {0 | 1 | 2} Priority */

/**
 * Something to translate.
 * @typedef {object} Item
 * @property {string} key equal for equal translations
 * @property {string} text
 * @property {number[]} [tree] none for plain text
 */

/** How much text is handed over beyond what is in view, in code units: a few hundredths of a second of work. */
const AHEAD = 3000;

/** The most items, for the same reason. */
const MOST_AHEAD = 48;

/**
 * Items with the same key, translated once.
 * @template {Item} I
 * @typedef {{items: Set<I>, priority: Priority, text: string, request?: import("../library/connection.js").BlockRequest}} Group
 */

/** @template {Item} I */
export class Queue {
  /** @type {(item: I) => BlockTranslator | null | Promise<BlockTranslator | null>} */
  #translatorFor;
  /** Groups by key, in the order of arrival within a priority. @type {Map<string, Group<I>>[]} */
  #waiting = [new Map(), new Map(), new Map()];
  /** @type {Map<string, Group<I>>} */
  #running = new Map();
  #runningText = 0;
  /** @type {Priority} */
  #least = PRIORITY.rest;
  /** @type {Cache<TranslatedBlock>} */
  #cache;
  /** @type {(item: I, translation: TranslatedBlock) => void} */
  #ontranslation;
  /** @type {(items: I[], error: unknown) => void} */
  #onleft;
  /** @type {(item: I) => boolean} */
  #isWanted;

  /**
   * @param {(item: I) => BlockTranslator | null | Promise<BlockTranslator | null>} translatorFor who translates an item, if anybody does
   * @param {Cache<TranslatedBlock>} cache
   * @param {(item: I, translation: TranslatedBlock) => void} ontranslation
   * @param {(items: I[], error: unknown) => void} onleft these items are not translated: nobody translates them, or there was an error
   * @param {(item: I) => boolean} isWanted asked before an item's turn; what is not wanted is forgotten
   */
  constructor(translatorFor, cache, ontranslation, onleft, isWanted) {
    this.#isWanted = isWanted;
    this.#translatorFor = translatorFor;
    this.#cache = cache;
    this.#ontranslation = ontranslation;
    this.#onleft = onleft;
  }

  /** The number of items that are not translated yet, of a priority or higher. @param {Priority} [least] */
  count(least = 0) {
    let sum = 0;
    for (let priority = least; priority < 3; priority++) {
      for (const group of this.#waiting[priority]?.values() ?? []) sum += group.items.size;
    }
    for (const group of this.#running.values()) if (group.priority >= least) sum += group.items.size;
    return sum;
  }

  /** The translation of an item, if it is known already. @param {I} item */
  known(item) {
    return this.#cache.get(item.key);
  }

  /** Adds an item, or moves it to another place. @param {I} item @param {Priority} priority */
  put(item, priority) {
    const running = this.#running.get(item.key);
    if (running) {
      running.items.add(item);
      if (running.priority !== priority) {
        running.priority = priority;
        running.request?.setPriority(priority);
      }
      return;
    }
    for (let place = 0; place < this.#waiting.length; place++) {
      const groups = /** @type {Map<string, Group<I>>} */ (this.#waiting[place]);
      const group = groups.get(item.key);
      if (!group) continue;
      group.items.add(item);
      if (place === priority) return;
      groups.delete(item.key);
      group.priority = priority;
      this.#waiting[priority]?.set(item.key, group);
      return;
    }
    this.#waiting[priority]?.set(item.key, { items: new Set([item]), priority, text: item.text });
  }

  /** Drops an item that is no longer wanted. @param {I} item */
  drop(item) {
    for (const groups of this.#waiting) {
      const group = groups.get(item.key);
      if (group?.items.delete(item) && group.items.size === 0) groups.delete(item.key);
    }
    const running = this.#running.get(item.key);
    if (running?.items.delete(item) && running.items.size === 0) {
      this.#end(item.key, running);
      running.request?.cancel();
    }
  }

  /** Drops everything. */
  clear() {
    for (const groups of this.#waiting) groups.clear();
    const running = [...this.#running.values()];
    this.#running.clear();
    this.#runningText = 0;
    for (const group of running) group.request?.cancel();
  }

  /** Hands over what fits. @param {Priority} [least] what has a lower one has to wait from now on */
  pump(least = this.#least) {
    this.#least = least;
    for (let place = this.#waiting.length - 1; place >= 0; place--) {
      const groups = /** @type {Map<string, Group<I>>} */ (this.#waiting[place]);
      if (place < least) return;
      for (const [key, group] of groups) {
        const room = this.#runningText < AHEAD && this.#running.size < MOST_AHEAD;
        if (!room && place < PRIORITY.visible) return;
        groups.delete(key);
        this.#start(key, group);
      }
    }
  }

  /** @param {string} key @param {Group<I>} group */
  #start(key, group) {
    for (const item of [...group.items]) if (!this.#isWanted(item)) group.items.delete(item);
    const [item] = group.items;
    if (!item) return;
    this.#running.set(key, group);
    this.#runningText += group.text.length;
    try {
      const translator = this.#translatorFor(item);
      // A promise need not be of the language's own kind.
      if (isThenable(translator)) this.#await(key, group, item, translator);
      else this.#ask(key, group, item, translator);
    } catch (error) {
      this.#leave(key, group, error);
    }
  }

  /** @param {string} key @param {Group<I>} group @param {I} item @param {PromiseLike<BlockTranslator | null>} translator */
  #await(key, group, item, translator) {
    new NativePromise((resolve) => resolve(translator))
      .then((translator) => this.#ask(key, group, item, translator))
      .catch((error) => this.#leave(key, group, error))
      .then(() => this.pump());
  }

  /** @param {string} key @param {Group<I>} group @param {I} item @param {BlockTranslator | null} translator */
  #ask(key, group, item, translator) {
    if (this.#running.get(key) !== group) return;
    if (!translator) return this.#leave(key, group, null);
    const request = translator.translateBlock(item.text, Uint32Array.from(item.tree ?? []), group.priority);
    group.request = request;
    request.result.then(
      ({ text, places }) => {
        const translation = { text, places };
        this.#cache.set(key, translation, key.length + text.length + 2 * places.length);
        if (this.#running.get(key) !== group) return;
        this.#end(key, group);
        for (const item of group.items) this.#ontranslation(item, translation);
        this.pump();
      },
      (error) => {
        this.#leave(key, group, error);
        this.pump();
      },
    );
  }

  /** @param {string} key @param {Group<I>} group @param {unknown} error null if nobody translates it */
  #leave(key, group, error) {
    if (this.#running.get(key) !== group) return;
    this.#end(key, group);
    this.#onleft([...group.items], error);
  }

  /** @param {string} key @param {Group<I>} group */
  #end(key, group) {
    if (!this.#running.delete(key)) return;
    this.#runningText -= group.text.length;
  }
}

/**
 * @param {unknown} value
 * @returns {value is PromiseLike<BlockTranslator | null>}
 */
function isThenable(value) {
  return typeof (/** @type {{then?: unknown} | null | undefined} */ (value)?.then) === "function";
}
