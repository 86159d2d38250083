/**
 * Which language a text is in, and who translates it: what a page declares is often wrong or missing, so where the browser can tell
 * languages apart it is asked for each text that is long enough.
 */
import { areAlike } from "../library/alike.js";
import { Cache } from "./cache.js";
import { languageOf } from "./languages.js";

/** @typedef {import("./page.js").BlockTranslator} BlockTranslator */

/** Shorter texts look alike in many languages. */
const FEWEST_LETTERS = 24;
const FEWEST_WORDS = 4;

/** Code units of texts and names of languages. */
const CACHE_SIZE = 500_000;

const LETTERS = /\p{L}/gu;
/** Languages written without blanks. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;

/** @param {string} text */
export function isLongEnough(text) {
  if ((text.match(DENSE)?.length ?? 0) >= FEWEST_WORDS * 2) return true;
  const letters = text.match(LETTERS)?.length ?? 0;
  return letters >= FEWEST_LETTERS && text.trim().split(/\s+/).length >= FEWEST_WORDS;
}

export class Judge {
  #translator;
  #detect;
  #translatorFor;
  /** Languages by text; the empty name where the language is not clear. @type {Cache<string>} */
  #known = new Cache(CACHE_SIZE);
  #source;
  #target;

  /**
   * @param {BlockTranslator} translator
   * @param {import("./page.js").PageOptions} options
   */
  constructor(translator, { detectLanguage, detector, translatorFor }) {
    this.#translator = translator;
    this.#detect = detectLanguage ?? (detector ? surely(async () => detector) : browserDetector());
    this.#translatorFor = translatorFor;
    this.#source = translator.sourceLanguage;
    this.#target = translator.targetLanguage;
  }

  /** Whether texts are judged by themselves, not only by what the page declares. */
  get judges() {
    return this.#detect !== null || this.#translatorFor !== undefined;
  }

  /**
   * Who translates a text; null if it is in another language. Not a promise where that is clear at once.
   * @param {{text: string, declared: string | null}} item
   * @returns {BlockTranslator | null | Promise<BlockTranslator | null>}
   */
  choose({ text, declared }) {
    if (!this.#detect || !isLongEnough(text)) return this.#byLanguage(declared ?? this.#source);
    const known = this.#known.get(text);
    if (known !== undefined) return this.#byLanguage(known || (declared ?? this.#source));
    return this.#ask(text, declared);
  }

  /** @param {string} text @param {string | null} declared */
  async #ask(text, declared) {
    let found = "";
    try {
      const said = (await this.#detect?.(text)) ?? "";
      if (languageOf(said) !== null) found = said;
    } catch {
      // It is then taken to be in the language that it is said to be in.
    }
    this.#known.set(text, found, text.length + found.length);
    return this.#byLanguage(found || (declared ?? this.#source));
  }

  /** @param {string} language @returns {BlockTranslator | null | Promise<BlockTranslator | null>} */
  #byLanguage(language) {
    if (areAlike(language, this.#source)) return this.#translator;
    if (areAlike(language, this.#target) || !this.#translatorFor) return null;
    return this.#translatorFor(languageOf(language) ?? language);
  }
}

/** How sure the browser has to be. */
const SURE = 0.7;

/**
 * @param {() => Promise<import("./page.js").Detector | null>} open
 * @returns {(text: string) => Promise<string | null>}
 */
function surely(open) {
  /** @type {Promise<import("./page.js").Detector | null> | undefined} */
  let opened;
  return async (text) => {
    opened ??= open();
    const [best] = (await (await opened)?.detect(text)) ?? [];
    return best && best.confidence >= SURE && best.detectedLanguage !== "und" ? best.detectedLanguage : null;
  };
}

/** The web's own language detector, where the browser has one and need not load it first. */
function browserDetector() {
  const { LanguageDetector } = /** @type {any} */ (globalThis);
  if (!LanguageDetector) return null;
  return surely(async () =>
    (await LanguageDetector.availability()) === "available" ? LanguageDetector.create() : null,
  );
}
