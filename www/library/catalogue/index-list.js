/**
 * Indexes: the lists that `wanderwort index` and `wanderwort models mirror` write, for any static host.
 */
import {
  isObject,
  requireAddress,
  requireSha256,
  requireSize,
  requireTag,
  requireText,
  unpackedName,
  wrong,
} from "./fields.js";

/** @typedef {import("../catalogue.js").Catalogue} Catalogue */
/** @typedef {import("../catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("../catalogue.js").ModelFile} ModelFile */
/** @typedef {import("../catalogue.js").Source} Source */

/** The only version of the list's format so far. */
const VERSION = 1;

/** @type {readonly unknown[]} */
const ROLES = ["package", "model", "shortlist", "vocabulary", "sourceVocabulary", "targetVocabulary", undefined];

/**
 * @param {Record<string, unknown> & {models: unknown[]}} list
 * @param {string} url the list's own address; those in it are relative to it
 * @returns {Catalogue}
 * @throws {TypeError} naming the entry and field that is wrong
 */
export function readIndex(list, url) {
  if (list.version !== VERSION) {
    throw new TypeError(`${url}: version ${list.version} of the list; this program reads version ${VERSION}`);
  }
  const models = list.models.map((model, i) => readModel(model, `${url}: models[${i}]`, url));
  const more = Array.isArray(list.more)
    ? list.more.map((address, i) => requireAddress(address, `${url}: more[${i}]`, url))
    : undefined;
  return { models, notes: [], more };
}

/**
 * @param {unknown} model
 * @param {string} where
 * @param {string} base
 * @returns {ModelEntry}
 */
function readModel(model, where, base) {
  if (!isObject(model)) throw new TypeError(`${where}: expected an object`);
  if (!Array.isArray(model.files) || model.files.length === 0) {
    throw new TypeError(`${where}.files: expected at least one file`);
  }
  const files = model.files.map((file, j) => readFile(file, `${where}.files[${j}]`, base));
  if (files.length > 1 && files.some((file) => file.role === "package")) {
    throw new TypeError(`${where}.files: a package is a whole model; it has no other files beside it`);
  }
  return {
    name: requireText(model.name, `${where}.name`),
    source: requireTag(model.source, `${where}.source`),
    target: requireTag(model.target, `${where}.target`),
    files,
    architecture: typeof model.architecture === "string" ? model.architecture : undefined,
    licence: typeof model.licence === "string" ? model.licence : undefined,
    note: typeof model.note === "string" ? model.note : undefined,
    scores: isObject(model.scores) ? /** @type {ModelEntry["scores"]} */ (model.scores) : undefined,
  };
}

/**
 * @param {unknown} file
 * @param {string} where
 * @param {string} base
 * @returns {ModelFile}
 */
function readFile(file, where, base) {
  if (!isObject(file)) throw new TypeError(`${where}: expected an object`);
  if (!ROLES.includes(file.role)) {
    throw wrong(`${where}.role`, `"package", or one of ${ROLES.slice(1, -1).join(", ")}, or none`, file.role);
  }
  const url = requireAddress(file.url, `${where}.url`, base);
  const mirrors = Array.isArray(file.mirrors) ? file.mirrors : [];
  /** @type {Source[]} */
  const sources = Array.isArray(file.sources)
    ? file.sources.map((source, i) => readSource(source, `${where}.sources[${i}]`, base))
    : [url, ...mirrors.map((mirror, i) => requireAddress(mirror, `${where}.mirrors[${i}]`, base))].map((url) => ({
        url,
      }));
  return {
    role: /** @type {ModelFile["role"]} */ (file.role),
    name: typeof file.name === "string" && file.name !== "" ? file.name : unpackedName(url),
    url,
    size: requireSize(file.size, `${where}.size`),
    sha256: requireSha256(file.sha256, `${where}.sha256`),
    sources,
  };
}

/** A source in a list as it is kept. @param {unknown} source @param {string} where @param {string} base @returns {Source} */
function readSource(source, where, base) {
  if (!isObject(source)) throw new TypeError(`${where}: expected an object`);
  const url = requireAddress(source.url, `${where}.url`, base);
  if (source.sha256 === undefined) return { url };
  return {
    url,
    size: requireSize(source.size, `${where}.size`),
    sha256: requireSha256(source.sha256, `${where}.sha256`),
  };
}

/**
 * Models in the format of an index, as they are kept.
 * @param {ModelEntry[]} models
 */
export function asIndex(models) {
  return { version: VERSION, models };
}
