/**
 * How much memory models may take together.
 */

/**
 * The memory that engines take together. Those in one worker share its memory, which never shrinks while the worker exists: what one model frees is
 * reused by the next.
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

/** What suits the device, in bytes: less if it has little memory. */
export function memoryBudget() {
  const { deviceMemory = 8 } = /** @type {{deviceMemory?: number}} */ (globalThis.navigator ?? {});
  return deviceMemory < 4 ? 160e6 : 320e6;
}
