/**
 * The models that the reader can use: those of the list, and those imported from files.
 */
import { parseCatalogue } from "../catalogue.js";
import { ModelStore, PART_SIZE } from "../storage.js";
import { listModels } from "../wanderwort.js";
import { readSettings } from "./settings.js";

/** @typedef {import("../catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("../catalogue.js").ModelFile} ModelFile */

/** Stands for a server's address in the list of imported models. */
const IMPORTED = "https://imported.wanderwort.invalid/";

/** @returns {Promise<ModelEntry[]>} */
export async function importedModels() {
  const store = await ModelStore.open();
  const json = await store?.list(IMPORTED);
  return json === undefined ? [] : parseCatalogue(json, IMPORTED);
}

/** Imported ones first: who imports a model wants to use it. @returns {Promise<ModelEntry[]>} */
export async function allModels() {
  const { models } = await readSettings();
  const [imported, listed] = await Promise.all([importedModels(), listModels(models)]);
  return [...imported, ...listed];
}

/** @param {ModelEntry[]} models */
async function putImported(models) {
  const plain = models.map((model) => ({ ...model, files: model.files.map((file) => ({ ...file })) }));
  await (await ModelStore.open())?.putList(IMPORTED, { version: 1, models: plain });
}

/** What a file is for, by its name. @param {string} name @returns {string | null} */
export function roleOf(name) {
  if (/\.wanderwort$/i.test(name)) return "package";
  if (/\.ya?ml$/i.test(name)) return "decoder";
  if (/^lex|shortlist/i.test(name)) return "shortlist";
  if (/\.spm$/i.test(name)) {
    if (/^(src|source)/i.test(name)) return "source-vocabulary";
    return /^(trg|target)/i.test(name) ? "target-vocabulary" : "vocabulary";
  }
  return /\.(npz|bin)$/i.test(name) ? "model" : null;
}

/**
 * Keeps a package, or the files of a Marian model.
 * @param {File[]} files
 * @param {{source: string, target: string}} pair
 * @returns {Promise<ModelEntry>}
 */
export async function importModel(files, { source, target }) {
  const store = await ModelStore.open();
  if (!store) throw new Error("The browser gives no storage to the extension.");
  /** @type {ModelFile[]} */
  const kept = [];
  const roles = new Set();
  for (const file of files) {
    const role = roleOf(file.name);
    if (role === null) throw new Error(`${file.name} is neither a package nor one of a Marian model's files.`);
    if (roles.has(role)) throw new Error(`${file.name}: there is another file for the ${role}.`);
    if (role === "package" && files.length > 1) throw new Error(`${file.name} is a whole model; choose it alone.`);
    roles.add(role);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    for (let i = 0; i * PART_SIZE < bytes.length; i++) {
      await store.put(sha256, i, bytes.slice(i * PART_SIZE, (i + 1) * PART_SIZE));
    }
    const url = IMPORTED + encodeURIComponent(file.name);
    kept.push({ role: role === "package" ? role : undefined, url, size: bytes.length, sha256 });
  }
  if (!roles.has("model") && !roles.has("package"))
    throw new Error("There is no file of weights (.bin or .npz) among them.");
  const entry = /** @type {ModelEntry} */ ({ name: `${source}-${target}.imported`, source, target, files: kept });
  const others = (await importedModels()).filter((model) => model.source !== source || model.target !== target);
  await putImported([entry, ...others]);
  return entry;
}

/** Bytes of a model that the browser keeps. @param {ModelEntry} model */
export async function storedBytes(model) {
  const store = await ModelStore.open();
  let sum = 0;
  for (const file of model.files) if (await store?.has(file.sha256, file.size)) sum += file.size;
  return sum;
}

/** @param {ModelEntry} model */
export async function deleteModel(model) {
  const store = await ModelStore.open();
  await putImported((await importedModels()).filter((other) => other.files[0]?.sha256 !== model.files[0]?.sha256));
  for (const file of model.files) await store?.remove(file.sha256);
}
