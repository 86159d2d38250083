/**
 * Languages as pages declare them, often wrongly.
 */
import { attributeOf } from "./dom.js";
import { primaryLanguage } from "./rules.js";

/** Declared for what is in no language at all. */
export const NO_LANGUAGE = "zxx";

/** Declared where the language is not known, or there are several. */
const UNKNOWN = new Set(["und", "mul", "mis", "x", "root"]);

const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** @type {Map<string, string | null>} */
const known = new Map();

/**
 * The primary language that a tag names, by its shortest code; null if it names none that exists.
 * @param {string} tag as pages write it: `EN_us`, `eng`, `english`
 * @returns {string | null}
 */
export function languageOf(tag) {
  let language = known.get(tag);
  if (language === undefined) {
    language = findLanguage(tag);
    // Pages have few tags; one that makes up new ones must not fill the memory.
    if (known.size < 500) known.set(tag, language);
  }
  return language;
}

/** @param {string} tag */
function findLanguage(tag) {
  const [primary = ""] = tag.trim().toLowerCase().split(/[-_]/);
  if (primary === NO_LANGUAGE) return NO_LANGUAGE;
  if (primary === "" || UNKNOWN.has(primary)) return null;
  try {
    const { language } = new Intl.Locale(primary);
    return names.of(language) === undefined ? null : language;
  } catch {
    return null;
  }
}

const XML = "http://www.w3.org/XML/1998/namespace";

/** What XML documents have instead of `lang`. @param {Element} element */
export const xmlLanguageOf = (element) =>
  attributeOf(element, "xml:lang") ?? Element.prototype.getAttributeNS.call(element, XML, "lang");

/** Languages written from right to left. */
const RIGHT_TO_LEFT = new Set("ar arc ckb dv fa ha he khw ks ps sd ug ur yi".split(" "));

/** The direction that a language is written in. @param {string} tag @returns {"ltr" | "rtl"} */
export const directionOf = (tag) => (RIGHT_TO_LEFT.has(primaryLanguage(tag)) ? "rtl" : "ltr");
