/**
 * Provides what translates between two languages: models, loaded into an engine.
 */
import { listOf, modelSize, parseCatalogue, storedForms } from "./catalogue.js";
import { EngineConnection } from "./connection.js";
import { IDENTITY_INFO, IdentityConnection } from "./identity.js";
import { storedBytes } from "./kept-models.js";
import { listAddresses } from "./lists.js";
import { IDENTITY, findOffer, fingerprint, routeSize, whileComing } from "./offer.js";
import { ModelStore } from "./storage.js";

/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./create-options.js").Pair} Pair */
/** @typedef {import("./protocol.js").EngineInfo} EngineInfo */
/** @typedef {import("./wanderwort.js").CreateOptions} CreateOptions */

/**
 * A list that was stored: any page of the origin may have written it.
 * @param {unknown} json
 * @param {string} url
 * @returns {ModelEntry[] | undefined}
 */
function storedCatalogue(json, url) {
  try {
    return parseCatalogue(json, url);
  } catch {
    return undefined;
  }
}

/**
 * @param {Pair} pair
 * @param {File[]} files
 * @returns {ModelEntry}
 */
function ownModel({ source, target }, files) {
  if (files.length === 0) throw new TypeError("files: expected a package or the files of a Marian model");
  return { name: files[0]?.name ?? "", source, target, files: [] };
}

/** @internal @typedef {import("./model-object.js").Creation & {options: CreateOptions}} Loading */

/**
 * @internal
 * @typedef {object} Parts what a translator is made of
 * @property {EngineConnection | IdentityConnection} connection
 * @property {EngineInfo} info
 * @property {ModelEntry[]} models
 */

/**
 * Starts an engine with a model, or with two.
 * @param {Loading} loading
 * @param {{models: ModelEntry[], own?: File[], keep?: string[], notCurrent?: string}} what `own`: the files of the one model; `keep`: SHA-256 of files that must not
 *   be deleted to make room for these
 * @returns {Promise<Parts>}
 */
async function load({ options, ended, progress }, { models, own, keep, notCurrent }) {
  ended.throwIfAborted();
  const { threads, variant, beam, cache, targetToken } = options;
  const wanted = models.map(({ files, source, target }) => ({ files, own, source, target }));
  return whileComing(models, async () => {
    const connection = new EngineConnection(
      { models: wanted, keep, threads, variant, beam, cache, targetToken },
      {
        progress: (loaded, total, fromNetwork) => progress.report({ loaded, total, fromNetwork }),
        waiting: () => progress.wait(),
      },
    );
    ended.addEventListener("abort", () => connection.close(ended.reason));
    return { connection, info: { ...(await connection.loaded), notCurrent }, models };
  });
}

/**
 * Provides what translates between two languages.
 * @param {Loading} loading
 * @param {Pair} pair
 * @returns {Promise<Parts>}
 */
export async function provide(loading, pair) {
  const { options, ended, progress } = loading;
  const { source, target } = pair;
  if (options.files) {
    const model = ownModel(pair, options.files);
    let size = 0;
    for (const file of options.files) size += file.size;
    await progress.begin(size, 0);
    return load(loading, { models: [model], own: options.files });
  }
  const { availability, route, stored, list } = await findOffer(pair, options, ended);
  if (!route) {
    const wanted = options.model === undefined ? "no model" : `no model ${[options.model].flat().join(" and ")}`;
    const others = list.map((m) => `${m.name} (${m.source} to ${m.target})`).join(", ");
    throw new DOMException(`There is ${wanted} from ${source} to ${target}, only: ${others}.`, "NotSupportedError");
  }
  const total = route === IDENTITY ? 0 : routeSize(route);
  await progress.begin(total, stored);
  if (availability === "available") await progress.complete(total);
  if (route === IDENTITY) {
    const connection = new IdentityConnection();
    ended.addEventListener("abort", () => connection.close(ended.reason));
    return { connection, info: IDENTITY_INFO, models: [{ name: IDENTITY, source, target, files: [] }] };
  }
  const place = { url: listAddresses(options.models).join(" "), pair: languagesOf(route).join(" ") };
  const store = await ModelStore.open();
  const earlier = storedCatalogue(await store?.lastUsed(place.url, place.pair), place.url.split(" ")[0] ?? "") ?? [];
  try {
    const keep = earlier.flatMap(({ files }) => files.flatMap(storedForms)).map(({ sha256 }) => sha256);
    const parts = await load(loading, { models: route, keep });
    // If there is no room for it, the next visit is like this one.
    await store?.putLastUsed(place.url, place.pair, listOf(route)).catch(() => {});
    // Nobody waits for that.
    store?.pruneUnlisted().catch(() => {});
    return parts;
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "NetworkError" || ended.aborted) throw error;
    if (earlier.length === 0 || fingerprint(earlier) === fingerprint(route)) throw error;
    for (const model of earlier) if ((await storedBytes(model)) < modelSize(model)) throw error;
    // A model asked for by name is not replaced by another one.
    const isAsNamed = earlier.map(({ name }) => name).join() === route.map(({ name }) => name).join();
    if (options.model !== undefined && !isAsNamed) throw error;
    return load(loading, { models: earlier, notCurrent: error.message });
  }
}

/**
 * The languages that models running one after the other translate from and to.
 * @param {ModelEntry[]} models
 * @returns {[source: string, target: string]}
 */
export function languagesOf(models) {
  return [models[0]?.source ?? "", models.at(-1)?.target ?? ""];
}
