/**
 * What the translation has written, recognised where the page has copied it: a clone of a translated paragraph, a carousel's second
 * round, a title that a script has read and written elsewhere. It is not to be read as the page's own language.
 */
import { attributeOf, dataOf, isElement, isText, nameOf } from "./dom.js";

/** @typedef {import("./blocks.js").Block} Block */

/** Texts remembered, the oldest forgotten first. */
const MOST = 3000;

/** Shorter ones may just as well be the page's own words. */
const SHORTEST = 3;

/**
 * One node of a translated block, in the order of the translation.
 * @typedef {object} Copied
 * @property {string | null} original what a text node held before; null for an element
 * @property {string} written what it holds now
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
  /** Originals of single text nodes, by what they showed. @type {Map<string, string>} */
  #pieces = new Map();
  /** Outputs by what each of their text nodes showed. @type {Map<string, Output>} */
  #parts = new Map();
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
    const output = { original, place: placeOf(container), nodes };
    this.#outputs.set(key, output);
    forgetOldest(this.#outputs);
    for (const { original, written } of nodes) {
      if (original === null || !written.trim().includes(" ")) continue;
      this.#parts.delete(written);
      this.#parts.set(written, output);
      forgetOldest(this.#parts);
    }
  }

  /** Remembers what a text node shows for its own text. @param {string} shown @param {string} original */
  addPiece(shown, original) {
    if (shown === original || shown.trim() === "") return;
    this.#pieces.delete(shown);
    this.#pieces.set(shown, original);
    forgetOldest(this.#pieces);
  }

  /**
   * A copy among nodes, whatever stands before and after it.
   * @param {Node[]} nodes
   * @returns {{nodes: Node[], copied: Copied[]} | null}
   */
  findCopy(nodes) {
    for (let at = 0; at < nodes.length; at++) {
      const node = /** @type {Node} */ (nodes[at]);
      const copied = isText(node) && this.#parts.get(dataOf(node))?.nodes;
      if (!copied) continue;
      const start = at - copied.findIndex(({ written }) => written === dataOf(node));
      const part = start < 0 ? [] : nodes.slice(start, start + copied.length);
      const isSame = (/** @type {Node} */ node, /** @type {number} */ i) =>
        shownBy(node) === copied[i]?.written && isText(node) === (copied[i]?.original !== null);
      if (part.length === copied.length && part.every(isSame)) return { nodes: part, copied };
    }
    return null;
  }

  /**
   * The text nodes that hold pieces of translations, with their originals: all that may be such pieces, if at least one certainly is.
   * @param {Map<Text, string>} sources
   * @returns {[Text, string][]}
   */
  findPieces(sources) {
    /** @type {[Text, string][]} */
    const found = [];
    let isSure = false;
    for (const [text, data] of sources) {
      const original = this.#pieces.get(data);
      if (original === undefined) continue;
      found.push([text, original]);
      isSure ||= data.trim().includes(" ") && !this.#sources.has(plain(data));
    }
    return isSure ? found : [];
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

/** @param {Set<string> | Map<string, unknown>} known */
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
  const made = new Set(block.applied?.made);
  /** @type {Copied[]} */
  const nodes = [];
  /** @param {Node} node */
  const walk = (node) => {
    const place = places.get(node) ?? -1;
    if (isText(node)) nodes.push({ original: block.sources.get(node) ?? "", written: dataOf(node), place });
    else if (isElement(node)) {
      nodes.push({ original: null, written: nameOf(node), place });
      for (let child = node.firstChild; child; child = child.nextSibling) {
        if (places.has(child) || made.has(child)) walk(child);
      }
    }
  };
  for (const top of tops) walk(top);
  return nodes;
}

/** @param {Node} node */
const shownBy = (node) => (isText(node) ? dataOf(node) : isElement(node) ? nameOf(node) : "");

/**
 * The nodes of a block with the empty text nodes at its ends, which are not part of it but may be part of a copy.
 * @param {Block} block
 * @returns {Node[]}
 */
export function nodesWithEnds(block) {
  const nodes = /** @type {Node[]} */ ([...new Set(block.nodes)]);
  const isEmpty = (/** @type {Node | null | undefined} */ node) => node && isText(node) && dataOf(node) === "";
  for (let at = nodes[0]?.previousSibling; at && isEmpty(at); at = at.previousSibling) nodes.unshift(at);
  for (let at = block.lastTop?.nextSibling; at && isEmpty(at); at = at.nextSibling) nodes.push(at);
  return nodes;
}
