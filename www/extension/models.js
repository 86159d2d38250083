/**
 * The models that the reader can use, and what is done with them: install, import, delete.
 */
import { listOf } from "../library/catalogue.js";
import { EngineConnection } from "../library/connection.js";
import { removeModel } from "../library/kept-models.js";
import { ModelStore, PART_SIZE, lockName } from "../library/storage.js";
import { convertModel } from "../library/wanderwort.js";
import {
  IMPORTED,
  allModels,
  bestRoute,
  importedChecksums,
  importedModels,
  isWhole,
  storedBytes,
} from "./known-models.js";
import { message } from "./messages.js";

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
  const keep = await importedChecksums();
  signal?.throwIfAborted();
  const connection = new EngineConnection({ ...model, keep, threads: 1 }, { progress });
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
  if (notStored) throw new Error(message("noRoom", notStored));
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
  if (!store) throw new Error(message("noStorage"));
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
  const url = IMPORTED + encodeURIComponent(file.name);
  /** @type {ModelFile} */
  const kept = { role: "package", name: file.name, url, size: bytes.length, sha256, sources: [{ url }] };
  await keepImported(store, { name, source, target, files: [kept] }, bytes, watch.signal);
}

/**
 * Stores an imported model in the place of an earlier one for the same pair, or nothing at all. It is in the list before its first part is stored,
 * so that whoever deletes what no list names leaves it alone, and whoever makes room meanwhile sees the lock.
 * @param {ModelStore} store
 * @param {ModelEntry} model one with a single file
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {AbortSignal} [signal]
 */
async function keepImported(store, model, bytes, signal) {
  const sha256 = checksumOf(model);
  const isOfPair = (/** @type {ModelEntry} */ other) => other.source === model.source && other.target === model.target;
  await navigator.locks.request(lockName(sha256), async () => {
    const before = await importedModels();
    const wasHere = await isWhole(model);
    // Until it is whole, the earlier one is found first.
    await putImported([...before, model]);
    try {
      for (let i = 0; !wasHere && i * PART_SIZE < bytes.length; i++) {
        signal?.throwIfAborted();
        await store.put(sha256, i, bytes.slice(i * PART_SIZE, (i + 1) * PART_SIZE));
      }
      await putImported([model, ...(await importedModels()).filter((other) => !isOfPair(other))]);
    } catch (error) {
      if (!wasHere) await store.remove(sha256);
      await putImported(before);
      throw error;
    }
  });
}

/** @param {ModelEntry} model @returns {string} */
const checksumOf = ({ files }) => files[0]?.sha256 ?? "";

/** @param {ModelEntry} model */
export async function deleteModel(model) {
  await putImported((await importedModels()).filter((other) => checksumOf(other) !== checksumOf(model)));
  const others = [];
  for (const other of await allModels())
    if (checksumOf(other) !== checksumOf(model) && (await isWhole(other))) others.push(other);
  await removeModel(model, others);
}
