/**
 * How much memory models may take together.
 */

/**
 * The memory that engines take together. Those in one worker share its memory, which never becomes less while the worker is there: what a model leaves
 * is for the next one.
 * @param {Iterable<{memoryBytes: number, worker: number}>} engines
 */
export function usedMemory(engines) {
  /** @type {Map<number, number>} */
  const byWorker = new Map();
  for (const { memoryBytes, worker } of engines) {
    byWorker.set(worker, Math.max(memoryBytes, byWorker.get(worker) ?? 0));
  }
  let sum = 0;
  for (const bytes of byWorker.values()) sum += bytes;
  return sum;
}

/** What suits the device, in bytes: less where it has little. */
export function memoryBudget() {
  const { deviceMemory = 8 } = /** @type {{deviceMemory?: number}} */ (globalThis.navigator ?? {});
  return deviceMemory < 4 ? 160e6 : 320e6;
}
