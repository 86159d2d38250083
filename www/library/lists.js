/**
 * Fetches lists of models, and keeps them for when there is no connection.
 */
import { NativePromise } from "./natives.js";
import { MODELS } from "../assets.js";
import { joinLists, parseList } from "./catalogue.js";
import { environment } from "./environment.js";
import { ModelStore } from "./storage.js";

/** @typedef {import("./catalogue.js").Catalogue} Catalogue */
/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */

/**
 * Where Mozilla publishes the models of its browser: a list, and a second one with further sources of the same files. Whoever ships
 * a product should mirror them (`wanderwort models mirror`).
 */
export const MOZILLA_MODELS = Object.freeze([
  "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records",
  "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json",
]);

/** @typedef {string | URL | readonly (string | URL)[]} ListAddresses */

/** The addresses as they are fetched. @param {ListAddresses} [models] @returns {string[]} */
export function listAddresses(models = MODELS) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  /** @type {readonly (string | URL)[]} */
  const given = typeof models === "string" || models instanceof URL ? [models] : models;
  return [...given].map((address) => new URL(address, base).href);
}

/**
 * The list of models at an address: the server's, or the last one kept if there is no connection.
 *
 * @param {string} url
 * @param {ModelStore | null} store
 * @param {AbortSignal} [signal]
 */
async function fetchList(url, store, signal) {
  try {
    const response = await environment.fetch(url, { signal, cache: "no-cache" });
    if (!response.ok) throw new Error(`the server responded with ${response.status} ${response.statusText}`.trim());
    const json = await response.json();
    const list = parseList(json, url);
    await store?.putList(url, json).catch(() => {});
    return list;
  } catch (error) {
    signal?.throwIfAborted();
    try {
      return parseList(await store?.list(url), url);
    } catch {
      const reason = error instanceof Error ? error.message : String(error);
      const advice =
        globalThis.navigator?.onLine === false
          ? "This device is offline: connect it and try again."
          : "Try again later.";
      throw new DOMException(`Could not load the list of models, ${url}: ${reason}. ${advice}`, "NetworkError");
    }
  }
}

/**
 * What one or several lists offer: the servers', or the last ones kept where there is no connection. If some of several cannot be loaded,
 * `notes` says so.
 *
 * @param {ListAddresses} [models]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Catalogue>}
 * @throws {DOMException} `NetworkError` if none can be loaded
 */
export async function loadCatalogue(models, signal) {
  const urls = listAddresses(models);
  const store = await ModelStore.open();
  const settled = await NativePromise.allSettled(urls.map((url) => fetchList(url, store, signal)));
  const lists = settled.flatMap((list) => (list.status === "fulfilled" ? [list.value] : []));
  const reasons = settled.flatMap((list) => (list.status === "rejected" ? [list.reason] : []));
  if (lists.length === 0) throw reasons[0];
  const { notes, ...catalogue } = joinLists(lists);
  return { ...catalogue, notes: [...notes, ...reasons.map(({ message }) => String(message))] };
}

/**
 * Like {@link loadCatalogue}, but with the lists as they were last kept. If all of them are kept, nothing is requested.
 *
 * @param {ListAddresses} [models]
 * @returns {Promise<Catalogue>}
 * @throws {DOMException} `NetworkError` if none is kept and none can be loaded
 */
export async function keptCatalogue(models) {
  const store = await ModelStore.open();
  /** @type {ReturnType<typeof parseList>[]} */
  const lists = [];
  for (const url of listAddresses(models)) {
    const json = await store?.list(url);
    if (json === undefined) return loadCatalogue(models);
    lists.push(parseList(json, url));
  }
  return joinLists(lists);
}

/**
 * The models of one list or several, see {@link loadCatalogue}.
 *
 * @param {ListAddresses} [models]
 * @param {AbortSignal} [signal]
 * @returns {Promise<ModelEntry[]>}
 * @throws {DOMException} `NetworkError`
 */
export async function listModels(models, signal) {
  return (await loadCatalogue(models, signal)).models;
}
