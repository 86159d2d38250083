/**
 * What the browser keeps of models.
 */
import { downloadSize, storedForms } from "./catalogue.js";
import { ModelStore } from "./storage.js";

/** @typedef {import("./catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./catalogue.js").ModelFile} ModelFile */

/**
 * How many bytes of a model's download the browser keeps.
 * @param {{files: ModelFile[]}} model
 * @returns {Promise<number>}
 */
export async function storedBytes(model) {
  const store = await ModelStore.open();
  let sum = 0;
  for (const file of store ? model.files : []) {
    let most = 0;
    for (const form of storedForms(file)) {
      const stored = (await store?.storedBytes(form.sha256, form.size)) ?? 0;
      most = Math.max(most, stored === form.size ? downloadSize(file) : Math.min(stored, downloadSize(file) - 1));
    }
    sum += most;
  }
  return sum;
}

/**
 * Deletes what the browser keeps of a model, except files that others have too, and those that some tab is just loading.
 * @param {ModelEntry} model
 * @param {ModelEntry[]} [others] models that are to stay
 */
export async function removeModel(model, others = []) {
  const store = await ModelStore.open();
  const forms = (/** @type {ModelEntry} */ { files }) => files.flatMap(storedForms).map(({ sha256 }) => sha256);
  const needed = new Set(others.flatMap(forms));
  await store?.delete(forms(model).filter((sha256) => !needed.has(sha256)));
}
