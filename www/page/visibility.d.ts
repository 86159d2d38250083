export type Priority = import("./queue.js").Priority;
/** @template I */
export declare class Visibility<I> {
  #private;
  /** @param {(item: I, priority: Priority) => void} onchange */
  constructor(onchange: (item: I, priority: Priority) => void);
  /** Follows an item with its element. @param {Element} target @param {I} item */
  watch(target: Element, item: I): void;
  /** @param {Element} target @param {I} item */
  unwatch(target: Element, item: I): void;
  stop(): void;
}
