/**
 * When to look at a node that has changed: at once at first, and then later the more often it changes in a row.
 */

/** A node that changes more often than this in a row has to wait. */
const CHANGES_AT_ONCE = 4;

/** Changes that follow within this time are in a row. */
const CHANGES_WITHIN_MS = 500;

/** The longest wait before a restless node is looked at. */
const LONGEST_WAIT_MS = 2000;

/** How long to wait before looking again at what has changed this often in a row. @param {number} count */
const waitAfter = (count) =>
  count < CHANGES_AT_ONCE ? 0 : Math.min(LONGEST_WAIT_MS, 50 * 2 ** (count - CHANGES_AT_ONCE));

export class Calm {
  /** How often in a row nodes have changed, and when last. @type {WeakMap<Node, {count: number, last: number}>} */
  #changes = new WeakMap();
  /** Nodes that will be looked at later. @type {WeakSet<Node>} */
  #awaited = new WeakSet();
  #look;
  #after;

  /**
   * @param {(node: Node) => void} look
   * @param {(milliseconds: number, action: () => void) => void} after a timer that ends with the run
   */
  constructor(look, after) {
    this.#look = look;
    this.#after = after;
  }

  /** Whether a node has changed so often that it is looked at later. @param {Node} node */
  awaits(node) {
    return this.#awaited.has(node);
  }

  /** A node has changed. @param {Node} node */
  changed(node) {
    const now = performance.now();
    const known = this.#changes.get(node);
    const inRow = known && now - known.last < CHANGES_WITHIN_MS + waitAfter(known.count);
    const count = inRow ? known.count + 1 : 0;
    this.#changes.set(node, { count, last: now });
    const wait = waitAfter(count);
    if (wait === 0) return this.#look(node);
    // One look for all changes until then: otherwise a node that changes with every frame would be looked at just as often.
    if (this.#awaited.has(node)) return;
    this.#awaited.add(node);
    this.#after(wait, () => {
      this.#awaited.delete(node);
      this.#look(node);
    });
  }
}
