/**
 * Puts children of a node into an order with as few moves as possible. What must not move (because the focus is in it, or because it would
 * reload) stays, and the others move around it.
 */
import {
  contains,
  firstChildOf,
  focusAround,
  following,
  insert,
  isConnected,
  isElement,
  move,
  nameOf,
  nextSiblingOf,
  parentOf,
} from "./dom.js";

/** Elements that restart when they move. */
const RESTARTING = new Set(["iframe", "frame", "object", "embed", "video", "audio"]);

/** Weighs more than all moves together. */
const HEAVY = 1e6;

/** Nodes between the arranged ones, such as a framework's comments, move only where a heavy node would have to move otherwise. */
const BETWEEN = 1e3;

/**
 * Which members of a sequence can stay so that the rest has the least weight: the heaviest increasing subsequence.
 * @param {number[]} ranks where each stands now, all different; -1 for what is not there yet
 * @param {number[]} weights
 * @returns {boolean[]}
 */
function heaviestAscent(ranks, weights) {
  const best = ranks.map((rank, i) => (rank < 0 ? 0 : (weights[i] ?? 0)));
  const before = ranks.map(() => -1);
  let end = -1;
  ranks.forEach((rank, i) => {
    if (rank < 0) return;
    for (let j = 0; j < i; j++) {
      const other = ranks[j] ?? -1;
      if (other < 0 || other > rank) continue;
      const sum = (best[j] ?? 0) + (weights[i] ?? 0);
      if (sum > (best[i] ?? 0)) [best[i], before[i]] = [sum, j];
    }
    if (end < 0 || (best[i] ?? 0) > (best[end] ?? 0)) end = i;
  });
  const stays = ranks.map(() => false);
  for (; end >= 0; end = before[end] ?? -1) stays[end] = true;
  return stays;
}

/** @param {Node} node */
function weight(node) {
  if (!isElement(node)) return 1;
  const focused = focusAround(node);
  if (focused && contains(node, focused)) return HEAVY;
  for (let at = /** @type {Node | null} */ (node); at; at = following(at, node, false)) {
    if (isElement(at) && RESTARTING.has(nameOf(at))) return HEAVY;
  }
  return 1;
}

/** With more other nodes than this between two of a run, it pays to look at all of them. */
const MOST_BETWEEN = 8;

/** Whether nodes stand one after another, with few others between. @param {Node} parent @param {Node[]} wanted */
function isInOrder(parent, wanted) {
  let at = /** @type {Node | null | undefined} */ (wanted[0]);
  if (!at || parentOf(at) !== parent) return false;
  for (const node of wanted.slice(1)) {
    let between = 0;
    do at = nextSiblingOf(at);
    while (at && at !== node && between++ < MOST_BETWEEN);
    if (!at || at !== node) return false;
  }
  return true;
}

/**
 * Puts children in order. Other nodes between them, such as comments, keep their place: after as many of the children as before.
 *
 * @param {Node} parent
 * @param {Node[]} wanted its children, or nodes without a parent, in the order that they are to have
 * @returns {Node[] | null} if some have moved, the previous order, with what stood between
 */
export function arrange(parent, wanted) {
  if (isInOrder(parent, wanted)) return null;
  const members = new Set(wanted.filter((node) => parentOf(node) === parent));
  /** @type {Map<Node, number>} */
  const rank = new Map();
  /** The nodes after that many members. @type {Map<number, Node[]>} */
  const between = new Map();
  /** @type {Node[]} */
  const order = [];
  let met = 0;
  for (let at = firstChildOf(parent); at && met < members.size; at = nextSiblingOf(at)) {
    if (members.has(at)) met++;
    else if (met > 0) between.set(met, [...(between.get(met) ?? []), at]);
    if (met === 0) continue;
    rank.set(at, order.length);
    order.push(at);
  }
  /** @type {Node[]} */
  const whole = [];
  let placed = 0;
  for (const node of wanted) {
    whole.push(node);
    if (members.has(node)) whole.push(...(between.get(++placed) ?? []));
  }
  const stays = heaviestAscent(
    whole.map((node) => rank.get(node) ?? -1),
    whole.map((node) => (members.has(node) ? weight(node) : Math.max(BETWEEN, weight(node)))),
  );
  const lastOne = order[order.length - 1];
  let moved = false;
  let next = lastOne ? /** @type {Node | null} */ (nextSiblingOf(lastOne)) : null;
  for (let i = whole.length - 1; i >= 0; i--) {
    const node = /** @type {Node} */ (whole[i]);
    if (!stays[i]) {
      if (rank.has(node) && isConnected(node)) move(parent, node, next);
      else insert(parent, node, next);
      moved ||= rank.has(node);
    }
    next = node;
  }
  return moved ? order : null;
}
