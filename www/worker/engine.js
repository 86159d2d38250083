/**
 * Chooses and starts the WebAssembly module that suits this browser.
 */

import { withPageThreads } from "./threads.js";

/** @typedef {import("../assets.js").ModuleAddresses} ModuleAddresses */
/** @typedef {typeof import("../pkg/relaxed-simd-threads/wanderwort.js")} EngineModule */

/** The names of the four modules, which are also their folders in `pkg/`. */
export const VARIANTS = /** @type {const} */ (["relaxed-simd-threads", "simd128-threads", "relaxed-simd", "simd128"]);

/** @typedef {(typeof VARIANTS)[number]} Variant */

/**
 * @typedef {object} StartedEngine
 * @property {EngineModule} module
 * @property {WebAssembly.Memory} memory
 * @property {Variant} variant
 * @property {number} threads
 */

/** More threads than this do not help a single reader, and each takes memory. */
const MOST_THREADS = 8;

/** How long the threads may take to start before one thread has to do. */
const THREADS_TIMEOUT_MS = 20_000;

/**
 * What a module's only function returns, which has neither parameters nor locals and returns a 32-bit number; undefined if the browser does
 * not know one of its instructions and therefore refuses the whole module.
 * @param {number[]} body
 * @returns {number | undefined}
 */
function run(...body) {
  const bytes = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic, version 1
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7f], // one type: () -> i32
    ...[0x03, 0x02, 0x01, 0x00], // one function of that type
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00], // exported as "f"
    ...[0x0a, body.length + 4, 0x01, body.length + 2, 0x00, ...body, 0x0b], // its code
  ]);
  if (!WebAssembly.validate(bytes)) return undefined;
  // `exports` is renamed: with a dot after it, tools that guess a script's kind take the worker for a CommonJS module.
  const { exports: functions } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return /** @type {() => number} */ (functions.f)();
}

/** `i32.const`: seven bits a byte, the lowest first, 0x80 where more follow. */
const I32_CONST = 0x41;
const I8X16_SPLAT = [0xfd, 0x0f];
const I32X4_SPLAT = [0xfd, 0x11];
const FIRST_I32 = [0xfd, 0x1b, 0x00];
/** `i32x4.relaxed_dot_i8x16_i7x16_add_s`, opcode 0x113. */
const RELAXED_DOT_ADD = [0xfd, 0x93, 0x02];

/** Whether this browser has 128-bit SIMD. */
const hasSimd = () => run(I32_CONST, 0x00, ...I8X16_SPLAT, ...FIRST_I32) === 0;

/**
 * Whether this browser has the relaxed dot product, and computes it correctly: the baseline compiler of V8 11 takes a register of its own from
 * the sum that is to be added to, on processors with AVX2.
 */
export const hasRelaxedSimd = () =>
  run(
    ...[I32_CONST, 0x9c, 0x7f, ...I8X16_SPLAT], // −100
    ...[I32_CONST, 0xe4, 0x00, ...I8X16_SPLAT], // 100
    ...[I32_CONST, 0xe8, 0x07, ...I32X4_SPLAT], // 1000
    ...RELAXED_DOT_ADD,
    ...FIRST_I32,
  ) ===
  1000 - 4 * 100 * 100;

/** Whether this context may share memory between threads, and can grow it while it is shared. */
function hasThreads() {
  if (!globalThis.crossOriginIsolated) return false;
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }).grow(1) === 1;
  } catch {
    return false;
  }
}

/**
 * The modules worth trying here, best first.
 * @param {number} threads
 * @returns {Variant[]}
 */
function candidates(threads) {
  const relaxed = hasRelaxedSimd();
  const threaded = threads > 1 && hasThreads();
  return VARIANTS.filter((v) => (relaxed || !v.startsWith("relaxed")) && (threaded || !v.endsWith("-threads")));
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} milliseconds
 * @param {string} what
 * @returns {Promise<T>}
 */
function within(promise, milliseconds, what) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took over ${milliseconds} ms`)), milliseconds);
  });
  return /** @type {Promise<T>} */ (Promise.race([promise, timeout]).finally(() => clearTimeout(timer)));
}

/**
 * @param {Variant} variant
 * @param {ModuleAddresses} addresses
 * @param {number} threads
 * @param {(script: string) => Promise<EngineModule>} importModule
 * @returns {Promise<StartedEngine>}
 */
async function start(variant, { script, wasm }, threads, importModule) {
  const module = await importModule(script);
  const { memory } = await module.default({ module_or_path: wasm });
  if (!variant.endsWith("-threads")) return { module, memory, variant, threads: 1 };
  const pool = withPageThreads(() => module.initThreadPool(threads));
  await within(pool, THREADS_TIMEOUT_MS, `starting ${threads} threads`);
  return { module, memory, variant, threads };
}

/**
 * Starts the best module that works: where threads fail to start, one thread gives the same translations.
 *
 * @param {Record<Variant, ModuleAddresses>} modules
 * @param {{threads?: number, variant?: Variant, importModule: (script: string) => Promise<EngineModule>}} options
 *   with `variant`, no other is tried
 * @returns {Promise<StartedEngine>}
 * @throws {DOMException} `NotSupportedError` if this browser has no SIMD, `NetworkError` if no module could be loaded
 */
export async function startEngine(modules, options) {
  if (!hasSimd()) {
    throw new DOMException("This browser's WebAssembly has no SIMD; any current browser has it.", "NotSupportedError");
  }
  const wanted = options.threads ?? Math.min(globalThis.navigator?.hardwareConcurrency || 1, MOST_THREADS);
  const threads = Math.max(1, Math.floor(wanted));
  const variants = options.variant ? [options.variant] : candidates(threads);
  /** @type {unknown} */
  let cause;
  for (const variant of variants) {
    try {
      return await start(variant, modules[variant], threads, options.importModule);
    } catch (error) {
      cause = error;
      console.warn(`Wanderwort: ${variant} did not start`, error);
    }
  }
  throw new DOMException(`The translation engine could not be loaded: ${cause}`, "NetworkError");
}
