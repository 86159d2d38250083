/**
 * How much memory models may take together.
 */

/** What suits the device, in bytes: less where it has little. */
export function memoryBudget() {
  const { deviceMemory = 8 } = /** @type {{deviceMemory?: number}} */ (globalThis.navigator ?? {});
  return deviceMemory < 4 ? 160e6 : 320e6;
}
