/**
 * The live region through which screen readers are told what happens on the translator page.
 */
import { element } from "./parts.js";

const region = element("announcement", HTMLElement);

/**
 * Has a text read out.
 * @param {string} text
 * @param {string} [language] of the text, whose voice reads it; the page's own unless given
 */
export function announce(text, language = document.documentElement.lang) {
  region.lang = language;
  region.textContent = text;
}
