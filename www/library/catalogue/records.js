/**
 * Mozilla's Remote Settings records: one for each file, `{"data": [record…]}`.
 *
 * A file that did not change from one version of a model to the next may have no record for the newer version, so each model takes the
 * newest file of each part that is no newer than itself.
 */
import {
  KNOWN_MAJOR,
  compareVersions,
  isObject,
  modelName,
  newerNote,
  requireAddress,
  requireSha256,
  requireSize,
  requireTag,
  requireText,
  requireVersion,
} from "./fields.js";

/** @typedef {import("../catalogue.js").Catalogue} Catalogue */
/** @typedef {import("../catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("../catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./fields.js").Version} Version */

/** @typedef {{key: string, source: string, target: string, architecture: string, version: Version, file: ModelFile}} FileRecord */

/** The host of the records, whose attachments are on another host. */
const RECORDS_HOST = "https://firefox.settings.services.mozilla.com";

/** Where the attachments are. */
const ATTACHMENTS = "https://firefox-settings-attachments.cdn.mozilla.net/";

/** The terms of use of all these models. */
const LICENCE = "MPL-2.0";

/** The names of the kinds of files here. Other kinds are left out. @type {Record<string, ModelFile["role"]>} */
const ROLES = {
  model: "model",
  lex: "shortlist",
  vocab: "vocabulary",
  srcvocab: "sourceVocabulary",
  trgvocab: "targetVocabulary",
};

/**
 * @param {unknown[]} data
 * @param {string} url the list's own address
 * @returns {Catalogue}
 */
export function readRecords(data, url) {
  // A mirror of the records has the attachments itself.
  const { origin } = new URL(url);
  const attachments = origin === RECORDS_HOST ? ATTACHMENTS : `${origin}/`;
  /** @type {Set<string>} */
  const notes = new Set();
  /** @type {Map<string, FileRecord[]>} */
  const groups = new Map();
  data.forEach((value, number) => {
    try {
      const record = readRecord(value, `${url}: entry ${number}`, attachments);
      if (!record) return;
      const { key, version } = record;
      if (version.major > KNOWN_MAJOR) notes.add(newerNote(key, version));
      else groups.set(key, [...(groups.get(key) ?? []), record]);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      notes.add(error.message);
    }
  });
  /** @type {ModelEntry[]} */
  const models = [];
  for (const [name, records] of groups) {
    records.sort((a, b) => compareVersions(b.version, a.version));
    const model = records
      .filter(({ file }) => file.role === "model")
      .map(({ version }) => completeModel(name, version, records))
      .find((model) => model !== undefined);
    if (model) models.push(model);
    else notes.add(`${name}: the list lacks a file of it`);
  }
  // Of a pair's models the better one, which is the larger, is taken unless another is asked for.
  models.sort((a, b) => weight(b) - weight(a));
  return { models, notes: [...notes] };
}

/** @param {ModelEntry} model */
const weight = ({ files }) => files.find(({ role }) => role === "model")?.size ?? 0;

/**
 * The model of a version: the newest file of each part that is no newer.
 * @param {string} name
 * @param {Version} version
 * @param {FileRecord[]} records the newest first
 * @returns {ModelEntry | undefined} undefined if it lacks a part
 */
function completeModel(name, version, records) {
  /** @type {ModelFile[]} */
  const files = [];
  for (const { file, version: own } of records) {
    if (compareVersions(own, version) <= 0 && files.every(({ role }) => role !== file.role)) files.push(file);
  }
  const has = (/** @type {ModelFile["role"]} */ role) => files.some((file) => file.role === role);
  const [first] = records;
  if (!first || !(has("vocabulary") || (has("sourceVocabulary") && has("targetVocabulary")))) return undefined;
  const { source, target, architecture } = first;
  return { name, source, target, architecture, files, licence: LICENCE };
}

/**
 * @param {unknown} value
 * @param {string} where
 * @param {string} attachments
 * @returns {FileRecord | undefined} undefined for one of another kind
 */
function readRecord(value, where, attachments) {
  if (!isObject(value)) throw new TypeError(`${where}: expected an object`);
  const kind = requireText(value.fileType, `${where}: fileType`);
  const role = Object.hasOwn(ROLES, kind) ? ROLES[kind] : undefined;
  if (role === undefined) return undefined;
  // Records with a condition are for versions of a browser that are being tried.
  if (typeof value.filter_expression === "string" && value.filter_expression.trim() !== "") return undefined;
  const source = requireTag(value.sourceLanguage, `${where}: sourceLanguage`);
  const target = requireTag(value.targetLanguage, `${where}: targetLanguage`);
  const architecture = typeof value.architecture === "string" ? value.architecture : "";
  const attachment = isObject(value.attachment) ? value.attachment : {};
  const url = requireAddress(attachment.location, `${where}: location`, attachments);
  const size = requireSize(value.decompressedSize, `${where}: decompressedSize`);
  const sha256 = requireSha256(value.decompressedHash, `${where}: decompressedHash`);
  const packed = {
    url,
    size: requireSize(attachment.size, `${where}: attachment.size`),
    sha256: requireSha256(attachment.hash, `${where}: attachment.hash`),
  };
  const name = requireText(value.name, `${where}: name`).replace(/\.(gz|zst)$/, "");
  const file = { role, name, url, size, sha256, sources: [packed] };
  const version = requireVersion(value.version, `${where}: version`);
  return { key: modelName(source, target, architecture), source, target, architecture, version, file };
}
