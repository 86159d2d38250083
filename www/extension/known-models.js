/**
 * Which models there are for the reader: those of the list, and those imported from files. Needs no page, so the background can ask too.
 */
import { parseCatalogue } from "../library/catalogue.js";
import { MOZILLA_MODELS, listModels } from "../library/lists.js";
import { ModelStore } from "../library/storage.js";
import { readSettings } from "./settings.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

/** Stands for a server's address in the list of imported models. */
export const IMPORTED = "https://imported.wanderwort.invalid/";

/** @returns {Promise<ModelEntry[]>} */
export async function importedModels() {
  const store = await ModelStore.open();
  const json = await store?.list(IMPORTED);
  return json === undefined ? [] : parseCatalogue(json, IMPORTED);
}

/** The models of the reader's list, and of Mozilla's if the reader wants them. @returns {Promise<ModelEntry[]>} */
async function listedModels() {
  const { models, more } = await readSettings();
  return listModels(more ? [models, ...MOZILLA_MODELS] : models);
}

/** Imported ones first: who imports a model wants to use it. @returns {Promise<ModelEntry[]>} */
export async function allModels() {
  const [imported, listed] = await Promise.all([importedModels(), listedModels()]);
  return [...imported, ...listed];
}

export { storedBytes } from "../library/kept-models.js";
