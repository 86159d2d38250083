/**
 * Models from the reader's own files.
 */

/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */
/** @typedef {import("./messages.js").Post} Post */

/** A package's first bytes. */
const MAGIC = "WANDERW\n";

/**
 * Gives the loader the reader's own files: one package, or Marian's files.
 * @param {File[]} files
 * @param {Loader} loader
 * @param {(loaded: number) => void} progress counts bytes of these files
 * @param {boolean} [float] prefer float weights where there are both: quantizing twice loses more
 */
export async function readOwn(files, loader, progress, float = false) {
  for (const file of files) {
    if ((await file.slice(0, MAGIC.length).text()) !== MAGIC) continue;
    if (files.length > 1) {
      throw new DOMException(`${file.name} is a whole model; choose it without other files.`, "DataError");
    }
    return readPackage(file, loader, progress);
  }
  const names = files.map((file) => file.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new DOMException(`Two of the files are called ${twice}; choose the files of one model.`, "DataError");
  }
  const read = await synchronousReader(files);
  let loaded = 0;
  loader.choose(names, float, (/** @type {string} */ name) => {
    const file = files[names.indexOf(name)];
    const bytes = file ? read(file) : new Uint8Array();
    loaded += bytes.length;
    progress(loaded);
    return bytes;
  });
  // Files that are not part of the model stay unread.
  progress(totalSize(files));
}

/** @param {File[]} files */
export function totalSize(files) {
  let sum = 0;
  for (const { size } of files) sum += size;
  return sum;
}

/**
 * Reports how much has been read of the reader's own files, which start after `before` bytes of the total.
 * @param {Post} post
 * @param {number} total
 * @param {number} [before]
 */
export function ownProgress(post, total, before = 0) {
  return (/** @type {number} */ loaded) => post({ type: "progress", loaded: before + loaded, total, fromNetwork: 0 });
}

/**
 * Reads files synchronously, as the loader asks for them; service workers must read them all beforehand.
 * @param {File[]} files
 * @returns {Promise<(file: File) => Uint8Array>}
 */
async function synchronousReader(files) {
  const { FileReaderSync } = /** @type {any} */ (globalThis);
  if (typeof FileReaderSync === "function") {
    const reader = new FileReaderSync();
    return (file) => new Uint8Array(reader.readAsArrayBuffer(file));
  }
  const read = new Map();
  for (const file of files) read.set(file, new Uint8Array(await file.arrayBuffer()));
  return (file) => read.get(file);
}

/**
 * @param {File} file
 * @param {Loader} loader
 * @param {(loaded: number) => void} progress
 */
async function readPackage(file, loader, progress) {
  loader.beginPackage(file.name);
  const reader = file.stream().getReader();
  for (let loaded = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    loader.push(value);
    loaded += value.length;
    progress(loaded);
  }
}

/**
 * The reader's own files of each model, if that is where models come from.
 * @param {{own?: File[]}[]} models
 * @returns {File[][] | undefined}
 */
export function ownFiles(models) {
  const own = models.flatMap(({ own }) => (own ? [own] : []));
  if (own.length === 0) return undefined;
  if (own.length < models.length) throw new TypeError("expected files of the reader's own for each model, or for none");
  return own;
}

/**
 * Gives each model's loader the reader's own files for it.
 * @param {File[][]} own
 * @param {(Promise<Loader> | undefined)[]} loading none for models that are in memory
 * @param {Post} post
 */
export async function readAll(own, loading, post) {
  const total = totalSize(own.flat());
  let before = 0;
  for (const [i, files] of own.entries()) {
    const loader = await loading[i];
    if (loader) await readOwn(files, loader, ownProgress(post, total, before));
    before += totalSize(files);
  }
}
