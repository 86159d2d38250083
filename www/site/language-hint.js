/**
 * Tells the reader of the translator page that a text is in a language other than the one it is translated from.
 */
import { keepForOffline } from "./keep.js";
import { isLongEnough } from "../page/judge.js";
import { primaryLanguage } from "../page/rules.js";
import { languageName } from "./parts.js";
import { areAlike } from "../library/alike.js";
import { LanguageDetector } from "../library/wanderwort.js";

/** A pause in typing after which the text is looked at. */
const PAUSE_MS = 700;

/** How sure it has to be. */
const SURE = 0.9;

/** The beginning of a text is enough to tell its language. */
const MOST_LOOKED_AT = 2000;

/** @param {string[]} languages */
async function knownOf(languages) {
  const availabilities = await Promise.all(
    languages.map((language) => LanguageDetector.availability({ expectedInputLanguages: [language] })),
  );
  return languages.filter((_, i) => availabilities[i] !== "unavailable");
}

/**
 * The browser's own detector, if it has one here; otherwise the library's.
 * @param {string[]} expectedInputLanguages
 * @returns {Promise<Pick<LanguageDetector, "detect">>}
 */
async function openDetector(expectedInputLanguages) {
  const own = /** @type {any} */ (globalThis).LanguageDetector;
  try {
    const options = { expectedInputLanguages };
    if ((await own?.availability(options)) === "available") return await own.create(options);
  } catch {
    // The library's will do as well.
  }
  const detector = await LanguageDetector.create({ expectedInputLanguages });
  keepForOffline("language-detector").catch(() => {});
  return detector;
}

export class LanguageHint {
  #ui;
  #languages;
  #change;
  /** @type {{of: string, detector: Promise<Pick<LanguageDetector, "detect">>} | undefined} */
  #opened;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause;
  /** Tells the latest look from earlier ones. */
  #look = 0;

  /**
   * @param {{box: HTMLElement, text: HTMLElement, button: HTMLButtonElement}} ui
   * @param {() => {source: string, offered: string[], isLeftToFind: boolean}} languages the one that is translated from, those that could
   *   be, and whether it is for the page to choose
   * @param {(language: string) => void} change called when another one is to be translated from
   */
  constructor(ui, languages, change) {
    this.#ui = ui;
    this.#languages = languages;
    this.#change = change;
    ui.button.addEventListener("click", () => {
      ui.box.hidden = true;
      change(ui.button.value);
    });
  }

  /** @param {string} text */
  update(text) {
    clearTimeout(this.#pause);
    const look = ++this.#look;
    const beginning = text.slice(0, MOST_LOOKED_AT);
    if (!isLongEnough(beginning)) {
      this.#ui.box.hidden = true;
      return;
    }
    this.#pause = setTimeout(async () => {
      const found = await this.#find(beginning).catch(() => null);
      if (look === this.#look) this.#show(found);
    }, PAUSE_MS);
  }

  /** @param {string} text */
  async #find(text) {
    const { source, offered } = this.#languages();
    const expected = await knownOf([...new Set([source, ...offered])].filter((language) => language !== ""));
    // A language that is not known looks like another one.
    if (!expected.includes(source)) return null;
    const of = expected.join();
    if (this.#opened?.of !== of) this.#opened = { of, detector: openDetector(expected) };
    const opened = this.#opened;
    try {
      const [best] = await (await opened.detector).detect(text);
      return best && best.confidence >= SURE && best.detectedLanguage !== "und" ? best.detectedLanguage : null;
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** @param {string | null} found */
  #show(found) {
    const { box, text, button } = this.#ui;
    const { source, offered, isLeftToFind } = this.#languages();
    const isOther = found !== null && !areAlike(found, source);
    box.hidden = !isOther;
    if (!isOther) return;
    const other = offered.find((language) => primaryLanguage(language) === primaryLanguage(found));
    if (isLeftToFind && other !== undefined) {
      box.hidden = true;
      this.#change(other);
      return;
    }
    text.textContent = `This looks like ${languageName(found)}, but it is being translated from ${languageName(source)}.`;
    button.hidden = other === undefined;
    button.value = other ?? "";
    button.textContent = `Translate from ${languageName(found)}`;
  }
}
