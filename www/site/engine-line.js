/**
 * What the translator page says about its engine: how it runs, what to know about its model, and whether all of it works offline.
 */
import { keepForOffline } from "./keep.js";

/** @typedef {import("../library/wanderwort.js").Translator} Translator */

export class EngineLine {
  #ui;
  /** @type {Translator | null} */
  #shown = null;

  /** @param {{engine: HTMLElement, note: HTMLElement}} ui */
  constructor(ui) {
    this.#ui = ui;
  }

  /**
   * Describes a translator, and makes the service worker keep the page for its use without a network.
   * @param {Translator} translator
   */
  async show(translator) {
    this.#shown = translator;
    this.#write(translator);
    try {
      const { kept, newer } = await keepForOffline(translator.info.variant);
      if (this.#shown !== translator) return;
      this.#write(
        translator,
        kept && translator.info.stored && "works offline",
        newer && "a newer version is ready for your next visit",
      );
    } catch (error) {
      // A page that does not open offline still translates.
      console.warn("Wanderwort: the page is not kept for offline use", error);
    }
  }

  /**
   * @param {Translator} translator
   * @param {...(string | false)} more
   */
  #write({ info, models }, ...more) {
    const { variant, threads, precision, weightBytes, notStored, notCurrent } = info;
    const parts = [
      variant?.startsWith("relaxed-simd") ? "relaxed SIMD" : "SIMD",
      threads === 1 ? "1 thread" : `${threads} threads`,
      precision,
      `${(weightBytes / 1e6).toFixed(1)} MB of weights`,
      "everything stays on this device",
      ...more,
    ];
    this.#ui.engine.textContent = parts.filter(Boolean).join(" · ");
    const notes = [
      ...models.map((model) => model.note),
      notCurrent &&
        `The newer version of the model could not be loaded, so the previous one is in use (${notCurrent}).`,
      notStored &&
        `The browser has no room to store the model, so it will be downloaded again next time (${notStored}).`,
    ].filter(Boolean);
    this.#ui.note.textContent = notes.join(" ");
    this.#ui.note.hidden = notes.length === 0;
  }
}
