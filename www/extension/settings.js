/**
 * What the reader has chosen. Kept by the browser, on this device.
 */
import { api } from "./api.js";
import { shortTag } from "./language.js";
import { askBackground } from "./protocol.js";

/**
 * @typedef {object} Settings
 * @property {string[]} reads the languages that the reader reads, the one to translate into first; none until the reader has said
 * @property {string} target the language that the reader last chose to translate into; empty for the first of `reads`
 * @property {string} models address of the list of models
 * @property {boolean} more whether the models that Mozilla publishes are offered too
 * @property {number} looked when their list was last looked up, in milliseconds; 0 if never
 * @property {Record<string, string>} choices the model that the reader has chosen, by `pairKey`
 * @property {number} memory megabytes that models may take in memory together; 0 for what suits the device
 * @property {number} idleMinutes how long the model stays in memory without work
 * @property {boolean} offer whether the button says that a page can be translated
 * @property {Record<string, {source: string, target: string}>} sites origins that are always translated
 * @property {"translation" | "both"} show the translation in the place of the original, or under it
 * @property {Record<string, "translation" | "both">} ways origins where it is to be different
 * @property {string[]} never origins that are neither translated nor offered
 * @property {Record<string, string>} languages languages that are always translated, and the language to translate each into
 */

/** @type {Settings} */
const DEFAULTS = {
  reads: [],
  target: "",
  // The extension comes with its models.
  models: api.runtime.getURL("models/index.json"),
  more: false,
  looked: 0,
  choices: {},
  memory: 0,
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

/** The language to translate into. @param {Settings} settings @returns {string} BCP 47 language tag */
export const wantedTarget = ({ target, reads }) => target || reads[0] || shortTag(api.i18n.getUILanguage());

/** @param {Partial<Settings>} changes */
export async function changeSettings(changes) {
  await api.storage.local.set(changes);
}
