/**
 * Which of a sequence can stay so that the rest has the least weight: the heaviest increasing subsequence.
 * @param {number[]} ranks where each stands now, all different; -1 for what is not there yet
 * @param {number[]} weights
 * @returns {boolean[]}
 */
export declare function heaviestAscent(ranks: number[], weights: number[]): boolean[];
/**
 * @param {Node} parent
 * @param {Node[]} wanted its children, or nodes without a parent, in the order that they shall have
 * @returns {Node[] | null} if some have moved, the order before, with what stood between
 */
export declare function arrange(parent: Node, wanted: Node[]): Node[] | null;
