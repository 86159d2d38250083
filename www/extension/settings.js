/**
 * What the reader has chosen. Kept by the browser, on this device.
 */
import { api } from "./api.js";
import { askBackground } from "./protocol.js";

/**
 * @typedef {object} Settings
 * @property {string} target the reader's language
 * @property {string} models address of the list of models
 * @property {boolean} more whether the models that Mozilla publishes are offered too
 * @property {number} idleMinutes after so long without work the model leaves the memory
 * @property {boolean} offer whether the button says that a page can be translated
 * @property {Record<string, {source: string, target: string}>} sites origins that are always translated
 * @property {"translation" | "both"} show the translation in the place of the original, or under it
 * @property {Record<string, "translation" | "both">} ways origins where it is to be otherwise
 * @property {string[]} never origins that are neither translated nor offered
 * @property {Record<string, string>} languages languages that are always translated, and into which
 */

/** @type {Settings} */
const DEFAULTS = {
  target: "",
  // The extension brings its models.
  models: api.runtime.getURL("models/index.json"),
  more: false,
  idleMinutes: 5,
  offer: false,
  show: "translation",
  ways: {},
  never: [],
  sites: {},
  languages: {},
};

/** @returns {Promise<Settings>} */
export async function readSettings() {
  // Chrome's offscreen documents may only send messages; the background reads for them.
  if (api.storage === undefined) return askBackground({ type: "settings" });
  return { ...DEFAULTS, ...(await api.storage.local.get(Object.keys(DEFAULTS))) };
}

/** @param {Partial<Settings>} changes */
export async function changeSettings(changes) {
  await api.storage.local.set(changes);
}
