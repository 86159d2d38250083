export declare class Changes {
  #private;
  /** @param {() => void} onchange */
  constructor(onchange: () => void);
  /** @param {Node} root */
  observe(root: Node): void;
  stop(): void;
  get isEmpty(): boolean;
  /** Whether there were so many changes that some were lost; asking forgets it. */
  takeOverflow(): boolean;
  /** @returns {MutationRecord[]} */
  take(): MutationRecord[];
  /** Changes the page without taking notice. @param {() => void} action */
  ignoring(action: () => void): void;
}
