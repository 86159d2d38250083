/**
 * Chooses and starts the WebAssembly module that suits this browser.
 */
export type ModuleAddresses = import("../assets.js").ModuleAddresses;
export type EngineModule = typeof import("../pkg/relaxed-simd-threads/wanderwort.js");
/** @typedef {import("../assets.js").ModuleAddresses} ModuleAddresses */
/** @typedef {typeof import("../pkg/relaxed-simd-threads/wanderwort.js")} EngineModule */
/** The names of the four modules, which are also their folders in `pkg/`. */
export declare const VARIANTS: readonly ["relaxed-simd-threads", "simd128-threads", "relaxed-simd", "simd128"];
export type Variant = (typeof VARIANTS)[number];
export type StartedEngine = {
  module: EngineModule;
  memory: WebAssembly.Memory;
  variant: Variant;
  threads: number;
};
/** Whether this browser has 128-bit SIMD. */
export declare const hasSimd: () => boolean;
/** Whether this browser has the relaxed dot product. */
export declare const hasRelaxedSimd: () => boolean;
/** Whether this context may share memory between threads, and so grow it while it is shared. */
export declare function hasThreads(): boolean;
/**
 * Starts the best module that works: where threads fail to start, one thread translates the same.
 *
 * @param {Record<Variant, ModuleAddresses>} modules
 * @param {{threads?: number, variant?: Variant}} [options] `variant` allows no other
 * @returns {Promise<StartedEngine>}
 * @throws {DOMException} `NotSupportedError` if this browser has no SIMD, `NetworkError` if no module could be had
 */
export declare function startEngine(
  modules: Record<Variant, ModuleAddresses>,
  options?: {
    threads?: number;
    variant?: Variant;
  },
): Promise<StartedEngine>;
