/**
 * Work in small slices, between which the page gets its turn.
 */
export declare class Slices {
  #private;
  /**
   * @param {(hasTime: () => boolean) => boolean} work does something as long as there is time; true if there is more to do
   * @param {(error: unknown) => void} onerror
   */
  constructor(work: (hasTime: () => boolean) => boolean, onerror: (error: unknown) => void);
  /** Has the work done soon. */
  wake(): void;
  stop(): void;
}
