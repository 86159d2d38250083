/**
 * What there is for a pair of languages: models, and whether they are here.
 */
import { findRoute, isIdentity, modelSize, namedRoute } from "./catalogue.js";
import { storedBytes } from "./kept-models.js";
import { listModels } from "./lists.js";
import { lockName } from "./storage.js";

/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./create-options.js").Pair} Pair */
/** @typedef {import("./lists.js").ListAddresses} ListAddresses */
/** @typedef {import("./model-object.js").Availability} Availability */

/** Models that are being loaded, by {@link fingerprint}. */
const coming = new Set();

/**
 * @template T
 * @param {ModelEntry[]} models are reported as downloading until the action has ended, unless they are here
 * @param {() => Promise<T>} action
 */
export async function whileComing(models, action) {
  const mark = fingerprint(models);
  coming.add(mark);
  try {
    return await action();
  } finally {
    coming.delete(mark);
  }
}

/** Translates the text as it is. */
export const IDENTITY = "identity";

/**
 * What there is for a pair of languages.
 * @internal
 * @typedef {object} Offer
 * @property {Availability} availability
 * @property {ModelEntry[] | typeof IDENTITY} [route] the best fit: one model, or two one after the other
 * @property {number} stored bytes of it that the browser keeps
 * @property {ModelEntry[]} list
 */

/**
 * @param {Pair} pair
 * @param {{models?: ListAddresses, model?: string | string[]}} options
 * @param {AbortSignal} [signal]
 * @returns {Promise<Offer>}
 * @throws {DOMException} `UnknownError` if that cannot be told at the moment
 */
export async function findOffer({ source, target }, options, signal) {
  const list = await listModels(options.models, signal).catch((error) => {
    signal?.throwIfAborted();
    throw error instanceof DOMException ? new DOMException(error.message, "UnknownError") : error;
  });
  const { model } = options;
  const route =
    model === undefined ? findRoute(list, source, target) : namedRoute(list, source, target, [model].flat());
  if (route.length === 0) {
    const isSame = model === undefined && isIdentity(source, target);
    return isSame
      ? { availability: "available", route: IDENTITY, stored: 0, list }
      : { availability: "unavailable", stored: 0, list };
  }
  let stored = 0;
  for (const model of route) stored += await storedBytes(model);
  if (stored === routeSize(route)) return { availability: "available", route, stored, list };
  const isComing = coming.has(fingerprint(route)) || (await anotherTabDownloads(route));
  return { availability: isComing ? "downloading" : "downloadable", route, stored, list };
}

/** Bytes to fetch for models. @param {ModelEntry[]} models */
export function routeSize(models) {
  return modelSize({ files: models.flatMap(({ files }) => files) });
}

/** @param {ModelEntry[]} models */
async function anotherTabDownloads(models) {
  try {
    const { held = [] } = (await globalThis.navigator?.locks?.query()) ?? {};
    const names = new Set(held.map(({ name }) => name));
    return models.some(({ files }) => files.some((file) => names.has(lockName(file.sha256))));
  } catch {
    return false;
  }
}

/** Distinguishes models from others. @param {ModelEntry[]} models */
export function fingerprint(models) {
  return models.map(({ files }) => files.map((file) => file.sha256).join()).join(" ");
}
