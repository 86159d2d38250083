/**
 * Where models come from: lists of models in various formats, read into one description. Nothing here fetches anything.
 *
 * | list | read by |
 * | --- | --- |
 * | an index, ours or a mirror's | `catalogue/index-list.js` |
 * | Mozilla's Remote Settings records | `catalogue/records.js` |
 * | Mozilla's registry of models | `catalogue/registry.js` |
 *
 * `src/model/catalogue` reads the same lists for the command line.
 */
import { isObject, wrong } from "./catalogue/fields.js";
import { asIndex, readIndex } from "./catalogue/index-list.js";
import { fit } from "./catalogue/languages.js";
import { readRecords } from "./catalogue/records.js";
import { readRegistry } from "./catalogue/registry.js";

export { canonicalTag, checkedTag, isIdentity } from "./catalogue/languages.js";
export { findModels, findRoute, namedRoute, targetsFrom } from "./catalogue/route.js";

/** @typedef {import("./catalogue/registry.js").FurtherSources} FurtherSources */

/**
 * Where a file is. It may be compressed there (gzip, Zstandard), as its first bytes show; its size and SHA-256 are those of what
 * is there, if the list gives them.
 * @typedef {{url: string, size?: number, sha256?: string}} Source
 */

/**
 * A model is one package, or Marian's files, whose names also tell which part each one is.
 * @typedef {object} ModelFile
 * @property {"package" | "model" | "shortlist" | "vocabulary" | "sourceVocabulary" | "targetVocabulary"} [role] its part; missing for
 *   Marian's files of older lists
 * @property {string} name its name when it is unpacked
 * @property {string} url absolute; the first of its sources
 * @property {number} size in bytes, unpacked
 * @property {string} sha256 of the unpacked bytes, as 64 hexadecimal digits
 * @property {Source[]} sources to be tried in turn
 */

/**
 * @typedef {object} ModelEntry
 * @property {string} name
 * @property {string} source BCP 47 language tag
 * @property {string} target BCP 47 language tag
 * @property {ModelFile[]} files
 * @property {string} [architecture] what kind of network it is, as its list calls it: "tiny", "base-memory", "base"
 * @property {string} [licence]
 * @property {string} [note] what a reader should know about this model
 * @property {Record<string, {bleu?: number, chrf?: number}>} [scores] by test set
 */

/**
 * What lists offer.
 * @typedef {object} Catalogue
 * @property {ModelEntry[]} models
 * @property {string[]} notes what was left out of the lists, and why
 * @property {string[]} [more] addresses of further lists, if an index names them; they are fetched only if the reader asks for them
 */

/**
 * Checks what a server sent as its list of models.
 *
 * @param {unknown} json
 * @param {string} url the list's own address
 * @returns {Catalogue | FurtherSources[]} for a registry, only further sources for the models of other lists
 * @throws {TypeError} if it is not a known kind of list, or is an index with a wrong entry
 */
export function parseList(json, url) {
  if (isObject(json) && Array.isArray(json.models)) return readIndex({ ...json, models: json.models }, url);
  if (isObject(json) && Array.isArray(json.data)) return readRecords(json.data, url);
  if (isObject(json) && isObject(json.models)) return readRegistry(json, url);
  throw wrong(url, 'a list of models: {"version", "models": […]}, {"data": […]} or {"baseUrl", "models": {…}}', json);
}

/**
 * Checks a list of models that is not a registry.
 *
 * @param {unknown} json
 * @param {string} url the list's own address
 * @returns {ModelEntry[]}
 * @throws {TypeError} naming the entry and field that is wrong
 */
export function parseCatalogue(json, url) {
  return joinLists([parseList(json, url)]).models;
}

/**
 * What several lists offer together. A model that two lists have, as its weights show, gets the sources of both; of two models with
 * one name, the earlier list's counts.
 *
 * @param {(Catalogue | FurtherSources[])[]} lists
 * @returns {Catalogue}
 */
export function joinLists(lists) {
  /** @type {ModelEntry[]} */
  const models = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {string[] | undefined} */
  let more;
  for (const list of lists) {
    if (Array.isArray(list)) continue;
    notes.push(...list.notes);
    if (list.more) more = [...(more ?? []), ...list.more];
    // If one list has a model twice, that is intended.
    const earlier = [...models];
    for (const model of list.models) {
      const known = earlier.find((known) => isSame(known, model));
      if (known) {
        for (const file of model.files) addSources(known, file.role, file.sources);
      } else if (earlier.every(({ name }) => name !== model.name)) {
        models.push({ ...model, files: model.files.map((file) => ({ ...file, sources: [...file.sources] })) });
      }
    }
  }
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const { source, target, sha256, urls } of list) {
      const known = models.find((model) => hasWeights(model, sha256) && isPair(model, source, target));
      for (const [role, addresses] of known ? urls : []) {
        const sources = addresses.map((url) => ({ url }));
        if (known) addSources(known, role, sources);
      }
    }
  }
  return { models, notes, more };
}

/** @param {ModelEntry} model @param {string} source @param {string} target */
function isPair(model, source, target) {
  return fit(model.source, source) !== undefined && fit(model.target, target) !== undefined;
}

/** @param {ModelEntry} model @param {string} sha256 */
function hasWeights({ files }, sha256) {
  return files.some((file) => (file.role === "package" || file.role === "model") && file.sha256 === sha256);
}

/** @param {ModelEntry} a @param {ModelEntry} b */
function isSame(a, b) {
  const weights = b.files.find((file) => file.role === "package" || file.role === "model");
  return weights !== undefined && isPair(a, b.source, b.target) && hasWeights(a, weights.sha256);
}

/** @param {ModelEntry} model @param {ModelFile["role"]} role @param {Source[]} sources */
function addSources(model, role, sources) {
  const file = model.files.find((file) => file.role === role);
  if (!file) return;
  for (const source of sources) if (file.sources.every(({ url }) => url !== source.url)) file.sources.push(source);
}

/**
 * A list of models as it is stored.
 * @param {ModelEntry[]} models
 */
export function listOf(models) {
  return asIndex(models);
}

/** Bytes to fetch for a file. @param {ModelFile} file */
export function downloadSize({ size, sources }) {
  return sources[0]?.size ?? size;
}

/**
 * Bytes to fetch for a model.
 * @param {{files: ModelFile[]}} model
 */
export function modelSize({ files }) {
  // Old libraries replace `reduce` with something else.
  let sum = 0;
  for (const file of files) sum += downloadSize(file);
  return sum;
}

/**
 * What the browser keeps of a file from one of its sources: what is there, which is the file itself unless it is compressed. Undefined
 * for a compressed one whose size and checksum are not given.
 * @param {ModelFile} file
 * @param {Source} source
 * @returns {{sha256: string, size: number} | undefined}
 */
export function storedForm(file, { url, size, sha256 }) {
  if (size !== undefined && sha256 !== undefined) return { sha256, size };
  return /\.(gz|zst)(\?|$)/.test(url) ? undefined : { sha256: file.sha256, size: file.size };
}

/**
 * The forms in which the browser may keep a file, each once.
 * @param {ModelFile} file
 * @returns {{sha256: string, size: number}[]}
 */
export function storedForms(file) {
  /** @type {Map<string, {sha256: string, size: number}>} */
  const forms = new Map();
  for (const source of file.sources) {
    const form = storedForm(file, source);
    if (form) forms.set(form.sha256, form);
  }
  return [...forms.values()];
}
