/**
 * Mozilla's registry of models, `{"baseUrl", "models": {"en-fr": [entry…]}}`. It has checksums of weights only, and nothing that cannot be
 * checked is used: what it gives are further sources of the models of other lists.
 */
import { isObject, requireAddress, requireSha256, requireTag, requireText } from "./fields.js";

/** @typedef {import("../catalogue.js").ModelFile} ModelFile */

/** The names of the kinds of files here. @type {[string, ModelFile["role"]][]} */
const ROLES = [
  ["model", "model"],
  ["lexicalShortlist", "shortlist"],
  ["vocab", "vocabulary"],
  ["srcVocab", "sourceVocabulary"],
  ["trgVocab", "targetVocabulary"],
];

/** The storage service whose plain links pages may not read. */
const STORAGE = "https://storage.googleapis.com/";

/**
 * Where the files of a model are; the model is identified by its weights.
 * @typedef {object} FurtherSources
 * @property {string} source
 * @property {string} target
 * @property {string} sha256 of the weights
 * @property {Map<ModelFile["role"], string[]>} urls by part
 */

/**
 * @param {Record<string, unknown>} list
 * @param {string} url the list's own address
 * @returns {FurtherSources[]}
 */
export function readRegistry(list, url) {
  const base = requireAddress(list.baseUrl, `${url}: baseUrl`, url).replace(/\/*$/, "/");
  /** @type {FurtherSources[]} */
  const found = [];
  for (const entries of Object.values(isObject(list.models) ? list.models : {})) {
    for (const entry of Array.isArray(entries) ? entries : []) {
      try {
        found.push(readEntry(entry, url, base));
      } catch (error) {
        // An entry that cannot be used is no loss: the models are those of other lists.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }
  return found;
}

/**
 * @param {unknown} entry
 * @param {string} where
 * @param {string} base
 * @returns {FurtherSources}
 */
function readEntry(entry, where, base) {
  const files = isObject(entry) && isObject(entry.files) ? entry.files : undefined;
  if (!isObject(entry) || !files) throw new TypeError(`${where}: expected a model with files`);
  const weights = isObject(files.model) ? files.model : {};
  const urls = new Map();
  for (const [kind, role] of ROLES) {
    const file = files[kind];
    if (!isObject(file)) continue;
    const path = requireText(file.path, `${where}: path`);
    if (path.includes("://")) throw new TypeError(`${where}: expected a path below the base address, found ${path}`);
    const plain = requireAddress(path.replace(/^\/+/, ""), `${where}: path`, base);
    urls.set(role, [...downloadForm(plain), plain]);
  }
  return {
    source: requireTag(entry.sourceLanguage, `${where}: sourceLanguage`),
    target: requireTag(entry.targetLanguage, `${where}: targetLanguage`),
    sha256: requireSha256(weights.uncompressedHash, `${where}: uncompressedHash`),
    urls,
  };
}

/** The form of the service's links that pages may read. @param {string} url @returns {string[]} */
function downloadForm(url) {
  if (!url.startsWith(STORAGE)) return [];
  const [bucket, ...path] = url.slice(STORAGE.length).split("/");
  const object = encodeURIComponent(decodeURIComponent(path.join("/")));
  return [`${STORAGE}download/storage/v1/b/${bucket}/o/${object}?alt=media`];
}
