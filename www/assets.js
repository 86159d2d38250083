/**
 * Where the worker, the WebAssembly modules and the models lie: beside this file. Bundlers find them by these very expressions, which is why each is
 * written out.
 */

/** @typedef {import("./worker/engine.js").Variant} Variant */

/** A module's script and its code. @typedef {{script: string, wasm: string}} ModuleAddresses */

/** The list of models. Written so that no bundler takes it for a file of its own: models stay where they are. */
export const MODELS = import.meta.url.replace(/[^/]*$/, "models/index.json");

export const worker = () => new URL("./worker/worker.js", import.meta.url);

/** The worker that detects the language of texts. */
export const languageWorker = () => new URL("./worker/language-worker.js", import.meta.url);

/** The module that reads and writes files. @returns {ModuleAddresses} */
export const documentsModule = () => ({
  script: new URL("./pkg/documents/wanderwort.js", import.meta.url).href,
  wasm: new URL("./pkg/documents/wanderwort_bg.wasm", import.meta.url).href,
});

/** @returns {Record<Variant, ModuleAddresses>} */
export const modules = () => ({
  "relaxed-simd-threads": {
    script: new URL("./pkg/relaxed-simd-threads/wanderwort.js", import.meta.url).href,
    wasm: new URL("./pkg/relaxed-simd-threads/wanderwort_bg.wasm", import.meta.url).href,
  },
  "simd128-threads": {
    script: new URL("./pkg/simd128-threads/wanderwort.js", import.meta.url).href,
    wasm: new URL("./pkg/simd128-threads/wanderwort_bg.wasm", import.meta.url).href,
  },
  "relaxed-simd": {
    script: new URL("./pkg/relaxed-simd/wanderwort.js", import.meta.url).href,
    wasm: new URL("./pkg/relaxed-simd/wanderwort_bg.wasm", import.meta.url).href,
  },
  simd128: {
    script: new URL("./pkg/simd128/wanderwort.js", import.meta.url).href,
    wasm: new URL("./pkg/simd128/wanderwort_bg.wasm", import.meta.url).href,
  },
});
