/**
 * What the translation has written, recognised where the page has copied it: a clone of a translated paragraph, a carousel's second
 * round, a title that a script has read and written elsewhere. It is not to be read as the page's own language.
 */
import { attributeOf, isElement, isText, nameOf } from "./dom.js";

/** @typedef {import("./blocks.js").Block} Block */

/** Texts remembered, the oldest forgotten first. */
const MOST = 3000;

/** Shorter ones may as well be words of the page's own. */
const SHORTEST = 3;

/**
 * One node of a translated block, in the order of the translation.
 * @typedef {object} Copied
 * @property {string | null} original what a text node held before; null for an element
 * @property {number} place among the block's nodes in the order of the original; -1 if it was made for the translation
 */

/**
 * @typedef {object} Output
 * @property {string} original
 * @property {string} place what the text stood in
 * @property {Copied[]} nodes
 */

/** @param {string} text */
const plain = (text) =>
  text
    .replace(/\{\d+\}/g, "{}")
    .replace(/\s+/g, " ")
    .trim();

/** @param {Node} node */
const placeOf = (node) => (isElement(node) ? `${nameOf(node)} ${attributeOf(node, "class") ?? ""}` : "");

export class Outputs {
  /** By what was written. @type {Map<string, Output>} */
  #outputs = new Map();
  /** What the page itself was seen to say. @type {Set<string>} */
  #sources = new Set();

  /**
   * Remembers what the page shows for an original.
   * @param {Node} container
   * @param {string} written
   * @param {string} original
   * @param {Copied[]} [nodes]
   */
  add(container, written, original, nodes = []) {
    const [key, source] = [plain(written), plain(original)];
    this.#sources.delete(source);
    this.#sources.add(source);
    forgetOldest(this.#sources);
    if (key.length < SHORTEST || key === source) return;
    this.#outputs.delete(key);
    this.#outputs.set(key, { original, place: placeOf(container), nodes });
    forgetOldest(this.#outputs);
  }

  /**
   * What a text is the translation of. A single word has to stand in the same kind of element: it may be one of the page's own.
   * @param {Node} container
   * @param {string} text
   * @returns {Output | null}
   */
  find(container, text) {
    const key = plain(text);
    const output = this.#outputs.get(key);
    if (!output || this.#sources.has(key)) return null;
    return key.includes(" ") || output.place === placeOf(container) ? output : null;
  }
}

/** @param {Set<string> | Map<string, Output>} known */
function forgetOldest(known) {
  if (known.size <= MOST) return;
  for (const oldest of known.keys()) {
    known.delete(oldest);
    return;
  }
}

/**
 * The nodes of a block as the page shows them, for comparison with a copy.
 * @param {Iterable<Node>} tops those of the run, in the order of the page
 * @param {Block} block
 * @returns {Copied[]}
 */
export function copiedNodes(tops, block) {
  const places = new Map(block.nodes.map((node, i) => [/** @type {Node} */ (node), i]));
  /** @type {Copied[]} */
  const nodes = [];
  /** @param {Node} node */
  const walk = (node) => {
    const place = places.get(node) ?? -1;
    if (isText(node)) nodes.push({ original: block.sources.get(node) ?? "", place });
    else if (isElement(node)) {
      nodes.push({ original: null, place });
      for (let child = node.firstChild; child; child = child.nextSibling)
        if (places.has(child) || isText(child)) walk(child);
    }
  };
  for (const top of tops) walk(top);
  return nodes;
}

/** Whether nodes are a copy of others: texts and elements by turns. @param {Node[]} nodes @param {Copied[]} copied */
export const isCopy = (nodes, copied) =>
  nodes.length === copied.length && nodes.every((node, i) => isText(node) === (copied[i]?.original !== null));
