/**
 * Which models there are for the reader: those of the list, and those imported from files. Needs no page, so the background can ask too.
 */
import { findModels, findRoute, joinLists, modelSize, parseCatalogue } from "../library/catalogue.js";
import { storedBytes } from "../library/kept-models.js";
import { MOZILLA_MODELS, keptCatalogue, loadCatalogue } from "../library/lists.js";
import { ModelStore } from "../library/storage.js";
import { changeSettings, readSettings } from "./settings.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("../library/catalogue.js").Catalogue} Catalogue */

export { storedBytes };

/** Stands for a server's address in the list of imported models. */
export const IMPORTED = "https://imported.wanderwort.invalid/";

/** Those that the reader has imported, and those of which a part is missing. @returns {Promise<ModelEntry[]>} */
export async function importedModels() {
  const store = await ModelStore.open();
  const json = await store?.list(IMPORTED);
  return json === undefined ? [] : parseCatalogue(json, IMPORTED);
}

/**
 * Looks up Mozilla's lists.
 * @returns {Promise<Catalogue>}
 * @throws {Error} if the list of models cannot be loaded
 */
export async function lookUp() {
  const found = await loadCatalogue(MOZILLA_MODELS);
  // The registry alone has no models, only further places where they are.
  if (found.models.length === 0) throw new Error(found.notes.join(" ") || "The list of models is empty.");
  await changeSettings({ looked: Date.now() });
  return found;
}

/**
 * The models of the reader's list, and of Mozilla's if the reader wants them.
 * @param {boolean} fresh
 * @returns {Promise<ModelEntry[]>}
 */
async function listedModels(fresh) {
  const { models, more } = await readSettings();
  // For what comes with the extension, no server is asked.
  const own = fresh || new URL(models).origin === location.origin ? loadCatalogue(models) : keptCatalogue(models);
  if (!more) return (await own).models;
  /** @type {(error: unknown) => Catalogue} */
  const none = (error) => (console.warn(error), { models: [], notes: [] });
  const others = (fresh ? lookUp() : keptCatalogue(MOZILLA_MODELS)).catch(none);
  return joinLists([await own, await others]).models;
}

/** Whether all of a model is here. @param {ModelEntry} model */
export const isWhole = async (model) => (await storedBytes(model)) === modelSize(model);

/**
 * SHA-256 of the imported models' files: however short storage is, they must stay, since nobody could send them again.
 * @returns {Promise<string[]>}
 */
export const importedChecksums = async () =>
  (await importedModels()).flatMap(({ files }) => files.map(({ sha256 }) => sha256));

/**
 * All that can be used. Imported ones first: whoever imports a model wants to use it. One with a part missing cannot be used any more, because
 * there is no server to ask for the rest.
 * @param {{fresh?: boolean}} [options] `fresh`: whether lists that have been here before are fetched, as when the reader looks at them; true
 *   by default
 * @returns {Promise<ModelEntry[]>}
 */
export async function allModels({ fresh = true } = {}) {
  const [imported, listed] = await Promise.all([importedModels(), listedModels(fresh)]);
  const whole = await Promise.all(imported.map(isWhole));
  return [...imported.filter((_, i) => whole[i]), ...listed];
}

/** @param {ModelEntry} model */
export const isImported = ({ files }) => files[0]?.url.startsWith(IMPORTED) ?? false;

/** The key of the pair that a choice of a model is for. @param {{source: string, target: string}} pair */
export const pairKey = ({ source, target }) => `${source} ${target}`;

/**
 * Bytes to download before models can be used: none for those that come with the extension or are imported.
 * @param {ModelEntry[]} models
 */
export async function missingBytes(models) {
  let sum = 0;
  for (const model of models) {
    const isOwn = model.files.every(({ url }) => new URL(url).origin === location.origin);
    if (!isOwn && !isImported(model)) sum += modelSize(model) - (await storedBytes(model));
  }
  return sum;
}

/**
 * The model that serves a pair of languages; where there is none for the pair, two by way of a third language. Of several for one pair, the
 * one that the reader has chosen, or else an imported one, or else the largest that is installed, or else the first there is.
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 * @param {ModelEntry[]} [models] all there are by default
 * @param {{here?: boolean}} [options] `here`: whether a chosen one that still has to be downloaded gives way to one that has not
 * @returns {Promise<ModelEntry[]>} none, one or two
 */
export async function bestRoute(source, target, models, { here = false } = {}) {
  const all = models ?? (await allModels({ fresh: false }));
  const { choices } = await readSettings();
  const route = findRoute(all, source, target);
  const best = await Promise.all(
    route.map((model) => bestModel(findModels(all, model.source, model.target), choices, here)),
  );
  return best.flatMap((model) => model ?? []);
}

/**
 * @param {ModelEntry[]} models of one pair of languages
 * @param {Record<string, string>} choices
 * @param {boolean} here
 * @returns {Promise<ModelEntry | undefined>}
 */
async function bestModel(models, choices, here) {
  const chosen = models.find((model) => choices[pairKey(model)] === model.name);
  if (chosen && (!here || (await missingBytes([chosen])) === 0)) return chosen;
  const imported = models.find(isImported);
  if (imported) return imported;
  let [best] = models;
  let most = 0;
  for (const model of models) {
    const size = modelSize(model);
    if (size > most && (await isWhole(model))) [best, most] = [model, size];
  }
  return best;
}
