/**
 * What the reader has written in an editor with formatting: its paragraphs and lines, and where the words of their translations belong.
 */
import { KIND, NONE } from "../../page/blocks.js";
import { isDesigned, isEditable, isElement, isText, nameOf } from "../../page/dom.js";
import { partOf } from "../../page/kinds.js";
import { isInline, keepsLines } from "../../page/layout.js";
import { hasWords } from "../../page/rules.js";

/** A part of a text node, and what stood there. @typedef {{node: Text, start: number, end: number, text: string}} Piece */

/** A line or paragraph, with its pieces by their places in the tree that the engine takes. */
class Paragraph {
  text = "";
  /** @type {number[]} */
  tree = [];
  /** @type {Map<number, Piece>} */
  pieces = new Map();
  /** The elements that the next piece would be in. @type {{element: Element, index: number}[]} */
  #open = [];
  #kept = 0;

  /**
   * @param {number} kind
   * @param {Element[]} around the elements of the line that it is in
   * @param {string} text
   */
  #add(kind, around, text) {
    let same = 0;
    while (same < around.length && this.#open[same]?.element === around[same]) same++;
    this.#open.length = same;
    for (const element of around.slice(same)) this.#open.push({ element, index: this.#push(KIND.element) });
    const index = this.#push(kind);
    this.text += text;
    for (const at of [index, ...this.#open.map(({ index }) => index)]) this.tree[4 * at + 3] = this.text.length;
    return index;
  }

  /** @param {number} kind */
  #push(kind) {
    this.tree.push(this.#open.at(-1)?.index ?? NONE, kind, this.text.length, this.text.length);
    return this.tree.length / 4 - 1;
  }

  /** @param {Text} node @param {number} start @param {number} end @param {Element[]} around */
  addPiece(node, start, end, around) {
    const text = node.data.slice(start, end);
    this.pieces.set(this.#add(KIND.text, around, text.replace(/\s/g, " ")), { node, start, end, text });
  }

  /** Adds something that stays as it is. @param {Element[]} around */
  addKept(around) {
    this.#add(KIND.verbatim, around, `{${++this.#kept}}`);
  }

  /** Whether there is nothing but one text, which can be replaced at once. */
  get isPlain() {
    const [piece] = this.pieces.values();
    return this.tree.length === 4 && piece?.node.parentNode?.childNodes.length === 1;
  }

  /**
   * The new texts of the pieces.
   * @param {{text: string, places: ArrayLike<number>}} translation
   * @returns {Map<Piece, string> | null} null if an element would have to move, or would have no words any more
   */
  fit({ text, places }) {
    /** @type {Map<number, string>} */
    const texts = new Map();
    let before = -1;
    /** The piece that what follows can be added to. @type {{index: number, parent: number} | null} */
    let last = null;
    let loose = { text: "", parent: NONE };
    for (let i = 0; i < places.length; i += 4) {
      const [index = NONE, parent = NONE, start = 0, end = 0] = [0, 1, 2, 3].map((k) => places[i + k]);
      const words = text.slice(start, end);
      if (index === NONE) {
        if (last?.parent === parent) texts.set(last.index, texts.get(last.index) + words);
        else if (loose.text !== "" && loose.parent !== parent) return null;
        else loose = { text: loose.text + words, parent };
        continue;
      }
      if (before !== -1 && index <= before) return null;
      before = index;
      if (!this.pieces.has(index)) {
        if (loose.text !== "") return null;
        last = null;
        continue;
      }
      if (loose.text !== "" && loose.parent !== parent) return null;
      texts.set(index, loose.text + words);
      loose = { text: "", parent };
      last = { index, parent };
    }
    if (loose.text !== "") return null;
    const indices = [...this.pieces.keys()];
    /** @type {Map<Piece, string>} */
    const fitted = new Map();
    for (const [index, piece] of this.pieces) {
      const { text: old } = piece;
      let now = texts.get(index) ?? "";
      // The blanks around a line are none of its words.
      if (index === indices[0]) now = (/^\s*/.exec(old)?.[0] ?? "") + now.trimStart();
      if (index === indices.at(-1)) now = now.trimEnd() + (/\s*$/.exec(old)?.[0] ?? "");
      if (now === "" && this.tree[4 * index] !== NONE) return null;
      fitted.set(piece, now);
    }
    return fitted;
  }
}

/** @param {Element} element */
function isShown(element) {
  const { display, visibility } = getComputedStyle(element);
  return display !== "none" && visibility === "visible";
}

/**
 * The paragraphs and lines with words of an editor, or of a part of it.
 * @param {Element} root
 * @param {Range} range
 */
export function paragraphsIn(root, range) {
  /** @type {Paragraph[]} */
  const paragraphs = [];
  let paragraph = new Paragraph();
  const end = () => {
    if ([...paragraph.pieces.values()].some(({ text }) => hasWords(text))) paragraphs.push(paragraph);
    paragraph = new Paragraph();
  };
  /** @param {Text} node @param {Element[]} around */
  const takeText = (node, around) => {
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.length;
    let start = from;
    const parent = node.parentElement;
    if (parent && keepsLines(parent)) {
      for (const { index } of node.data.slice(from, to).matchAll(/\r?\n/g)) {
        if (from + index > start) paragraph.addPiece(node, start, from + index, around);
        end();
        start = from + index + 1;
      }
    }
    if (to > start) paragraph.addPiece(node, start, to, around);
  };
  /** @param {Node} parent @param {Element[]} around */
  const walk = (parent, around) => {
    for (const node of parent.childNodes) {
      if (!range.intersectsNode(node)) continue;
      if (isText(node)) takeText(node, around);
      else if (isElement(node) && isShown(node)) takeElement(node, around);
    }
  };
  /** @param {Element} element @param {Element[]} around */
  const takeElement = (element, around) => {
    const isBreak = nameOf(element) === "br" || !isInline(element);
    const part = isEditable(element) || isDesigned(document) ? partOf(element) : "kept";
    if (isBreak) {
      end();
      if (part === "words") walk(element, []);
      end();
    } else if (part === "words") walk(element, [...around, element]);
    else if (part !== "nothing") paragraph.addKept(around);
  };
  walk(root, []);
  end();
  return paragraphs;
}
