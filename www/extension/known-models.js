/**
 * Which models there are for the reader: those of the list, and those imported from files. Needs no page, so the background can ask too.
 */
import { parseCatalogue } from "../library/catalogue.js";
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

/** The models of the list, or of what it last was if there is no connection. @returns {Promise<ModelEntry[]>} */
async function listedModels() {
  const { models: url } = await readSettings();
  const store = await ModelStore.open();
  try {
    const response = await fetch(url, { cache: "no-cache" });
    if (!response.ok) throw new Error(`The list of models at ${url}: the server answered ${response.status}`);
    const json = await response.json();
    const list = parseCatalogue(json, url);
    await store?.putList(url, json).catch(() => {});
    return list;
  } catch (error) {
    const known = await store?.list(url);
    if (known !== undefined) return parseCatalogue(known, url);
    throw error;
  }
}

/** Imported ones first: who imports a model wants to use it. @returns {Promise<ModelEntry[]>} */
export async function allModels() {
  const [imported, listed] = await Promise.all([importedModels(), listedModels()]);
  return [...imported, ...listed];
}

export { storedBytes } from "../library/kept-models.js";
