/**
 * The models that the reader can use, and what is done with them: install, import, delete.
 */
import { listOf, modelSize } from "../library/catalogue.js";
import { EngineConnection } from "../library/connection.js";
import { removeModel } from "../library/kept-models.js";
import { ModelStore, PART_SIZE } from "../library/storage.js";
import { convertModel } from "../library/wanderwort.js";
import { IMPORTED, allModels, bestRoute, importedModels, storedBytes } from "./known-models.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("../library/catalogue.js").ModelFile} ModelFile */

export { allModels, bestRoute, importedModels, storedBytes };

/** @param {ModelEntry[]} models */
async function putImported(models) {
  await (await ModelStore.open())?.putList(IMPORTED, listOf(models));
}

/** @typedef {{signal?: AbortSignal, progress?: (done: number, total: number) => void}} Watch `progress` receives bytes or steps, and of how many */

/**
 * Loads a model in an engine of its own, which proves that it works, and ends the engine.
 * @param {import("../library/protocol.js").ModelSource} model
 * @param {Watch} watch
 */
async function tryModel(model, { signal, progress }) {
  signal?.throwIfAborted();
  const connection = new EngineConnection({ ...model, threads: 1 }, { progress });
  const abort = () => connection.close(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    return await connection.loaded;
  } finally {
    signal?.removeEventListener("abort", abort);
    connection.close(new DOMException("The model has been tried.", "AbortError"));
  }
}

/**
 * Downloads a model of the list and keeps it. What has arrived before it is cancelled or fails is kept too, for the next time.
 * @param {ModelEntry} model
 * @param {Watch} watch
 */
export async function installModel(model, watch) {
  const { notStored } = await tryModel({ models: [model] }, watch);
  if (notStored) throw new Error(`The browser has no room to store the model: ${notStored}`);
}

/** A package's first bytes. */
const MAGIC = "WANDERW\n";

/**
 * Keeps a model of the reader's own as one package, once an engine has loaded it.
 * @param {File[]} files a package, or Marian's files, which are told apart by their names as on the page; others among them are ignored
 * @param {{source: string, target: string}} pair
 * @param {Watch} watch
 */
export async function importModel(files, { source, target }, watch) {
  const store = await ModelStore.open();
  if (!store) throw new Error("The browser does not let the extension store data.");
  const name = `${source}-${target}.imported`;
  const [first] = files;
  const isPackage = files.length === 1 && (await first?.slice(0, MAGIC.length).text()) === MAGIC;
  const content = isPackage
    ? /** @type {File} */ (first)
    : // Eight bits are what the engine computes with: nothing is lost.
      await convertModel(files, { sourceLanguage: source, targetLanguage: target, name, bits: "int8", ...watch });
  const file = new File([content], `${name}.wanderwort`);
  await tryModel({ models: [{ files: [], own: [file], source, target }] }, watch);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    for (let i = 0; i * PART_SIZE < bytes.length; i++) {
      watch.signal?.throwIfAborted();
      await store.put(sha256, i, bytes.slice(i * PART_SIZE, (i + 1) * PART_SIZE));
    }
  } catch (error) {
    await store.remove(sha256);
    throw error;
  }
  const url = IMPORTED + encodeURIComponent(file.name);
  /** @type {ModelFile} */
  const kept = { role: "package", name: file.name, url, size: bytes.length, sha256, sources: [{ url }] };
  const others = (await importedModels()).filter((model) => model.source !== source || model.target !== target);
  await putImported([{ name, source, target, files: [kept] }, ...others]);
}

/** @param {ModelEntry} model */
export async function deleteModel(model) {
  await putImported((await importedModels()).filter((other) => other.files[0]?.sha256 !== model.files[0]?.sha256));
  const others = [];
  for (const other of await allModels()) {
    const isOther = other.files[0]?.sha256 !== model.files[0]?.sha256;
    if (isOther && (await storedBytes(other)) === modelSize(other)) others.push(other);
  }
  await removeModel(model, others);
}
