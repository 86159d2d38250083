/**
 * Where the worker and the WebAssembly modules lie: beside this file. Bundlers find them by these very expressions, which is why each is
 * written out.
 */
export type Variant = import("./worker/engine.js").Variant;
export type ModuleAddresses = {
  script: string;
  wasm: string;
};
/** @typedef {import("./worker/engine.js").Variant} Variant */
/** A module's script and its code. @typedef {{script: string, wasm: string}} ModuleAddresses */
export declare const worker: () => URL;
/** @returns {Record<Variant, ModuleAddresses>} */
export declare const modules: () => Record<Variant, ModuleAddresses>;
