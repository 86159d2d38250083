/**
 * The language of a text, found by the browser itself on this device.
 */
import { areAlike } from "../library/alike.js";
import { api } from "./api.js";
import { locale } from "./messages.js";

/** The share of a text that has to be in a language, in percent, unless the browser itself says that it is sure. */
const MOST_OF_IT = 60;

/** @param {string} tag */
export const primary = (tag) => (tag.split(/[-_]/)[0] ?? "").toLowerCase();

/** Whether a text in a language needs no translation for a reader. @param {string} tag @param {string[]} reads */
export const isRead = (tag, reads) => reads.some((other) => areAlike(other, tag));

/** A language without what hardly matters to its readers: the region, and the script unless it tells languages apart. @param {string} tag */
export function shortTag(tag) {
  const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
  return language === "zh" && script === "Hant" ? "zh-Hant" : language;
}

/** Made when first needed: not every part of the extension has messages. @type {Intl.DisplayNames | undefined} */
let names;

/** A language's name, in the language of the messages that it stands in. @param {string} tag */
export function languageName(tag) {
  names ??= new Intl.DisplayNames(locale(), { type: "language" });
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * @param {string} text
 * @returns {Promise<string | null>} null if it is not clear
 */
export async function detectLanguage(text) {
  const { languages, isReliable } = await api.i18n.detectLanguage(text);
  const [best] = [...languages].sort((a, b) => b.percentage - a.percentage);
  return best && best.language !== "und" && (isReliable || best.percentage > MOST_OF_IT)
    ? primary(best.language)
    : null;
}

/**
 * As above, for a short text, of which the browser must be sure.
 * @param {string} text
 */
export async function detectSurely(text) {
  const { languages, isReliable } = await api.i18n.detectLanguage(text);
  const [best] = [...languages].sort((a, b) => b.percentage - a.percentage);
  return best && isReliable && best.percentage > MOST_OF_IT ? primary(best.language) : null;
}
