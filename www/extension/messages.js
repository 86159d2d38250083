/**
 * What the extension says, in the reader's language: `_locales` has one file per language.
 */
import { api } from "./api.js";

/** @param {string} name @param {...string} parts what replaces `$1` and so on */
export const message = (name, ...parts) => api.i18n.getMessage(name, parts) || name;

/** The language that the messages are in, which is the browser's own only if the extension has it. */
export const locale = () => message("locale");

/** Puts the messages into a document whose elements name them with `data-message`. @param {Document} document */
export function localize(document) {
  document.documentElement.lang = locale();
  for (const element of document.querySelectorAll("[data-message]")) {
    element.textContent = message(element.getAttribute("data-message") ?? "");
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) =>
  new Intl.NumberFormat(locale(), {
    ...{ style: "unit", unit: "megabyte", unitDisplay: "short" },
    ...{ minimumFractionDigits: 1, maximumFractionDigits: 1 },
  }).format(bytes / 1e6);
