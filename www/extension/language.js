/**
 * The language of a text, found by the browser itself on this device.
 */
import { api } from "./api.js";

/** So large a share of a text has to be in a language, unless the browser says itself that it is sure. */
const MOST_OF_IT = 60;

/** @param {string} tag */
export const primary = (tag) => (tag.split(/[-_]/)[0] ?? "").toLowerCase();

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
