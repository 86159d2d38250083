/**
 * Translators in memory: the most recently used stay, as far as there is room, so that going back to a pair of languages takes no time.
 */
import { memoryBudget, usedMemory } from "../library/budget.js";
import { Translator } from "../library/wanderwort.js";

/** @typedef {Parameters<typeof Translator.create>[0]} CreateOptions */

export class Translators {
  #budget;
  /** The most recently used comes last. @type {Map<string, Translator>} */
  #kept = new Map();

  constructor(budget = memoryBudget()) {
    this.#budget = budget;
  }

  /**
   * The translator for a pair of languages and a model: one that is here, or a new one.
   * @param {CreateOptions} options
   * @returns {Promise<Translator>}
   */
  async get(options) {
    const { sourceLanguage, targetLanguage, model, threads, beam, variant, files } = options;
    // A reader's own model does not become the same as another because its languages are.
    if (files) return Translator.create(options);
    const key = JSON.stringify([sourceLanguage, targetLanguage, model, threads, beam, variant]);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    // The worker of one that has not been used for a while may have failed meanwhile.
    if (known && !known.closed) {
      this.#kept.set(key, known);
      return known;
    }
    const { signal, ...others } = options;
    // A signal ends a translator for good, and this one may be wanted again.
    const loading = new AbortController();
    const abort = () => loading.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort);
    try {
      const translator = await Translator.create({ ...others, signal: loading.signal });
      this.#kept.set(key, translator);
      this.#makeRoom();
      return translator;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Ends a translator. @param {Translator | null} translator */
  drop(translator) {
    for (const [key, kept] of this.#kept) if (kept === translator) this.#kept.delete(key);
    translator?.destroy();
  }

  /** Ends those that a model is part of. @param {import("../library/catalogue.js").ModelEntry} model */
  dropModel(model) {
    for (const kept of [...this.#kept.values()]) {
      if (kept.models.some(({ name }) => name === model.name)) this.drop(kept);
    }
  }

  #makeRoom() {
    for (const translator of [...this.#kept.values()]) {
      const used = usedMemory([...this.#kept.values()].map(({ info }) => info));
      if (used <= this.#budget || this.#kept.size === 1) return;
      this.drop(translator);
    }
  }
}
