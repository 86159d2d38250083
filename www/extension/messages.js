/**
 * What the extension says, in the reader's language: `_locales` has one file per language.
 */
import { api } from "./api.js";

/** @param {string} name @param {...string} parts what replaces `$1` and so on */
export const message = (name, ...parts) => api.i18n.getMessage(name, parts) || name;

/** Puts the messages into a document whose elements name them with `data-message`. @param {Document} document */
export function localize(document) {
  document.documentElement.lang = api.i18n.getMessage("@@ui_locale").replace("_", "-") || "en";
  for (const element of document.querySelectorAll("[data-message]")) {
    element.textContent = message(element.getAttribute("data-message") ?? "");
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
