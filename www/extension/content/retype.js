/**
 * Changes the text of an editor as the reader could have done by typing: pages that follow their editors notice, and it can be undone.
 */

/** An editor that takes changes over itself may write them a moment later. */
const TRIES = 8;
const PAUSE_MS = 25;

/** Browsers write some blanks as ones that do not end lines. @param {string} text */
const plain = (text) => text.replace(/\s/g, " ");

/** The elements of an editor, by all that tells them apart. @param {Element} root */
const outline = (root) =>
  [...root.querySelectorAll("*")].map((element) => /** @type {Element} */ (element.cloneNode()).outerHTML).join("");

/** The selection of the tree that an editor is in. @param {Element} root @returns {Selection | null} */
export function selectionOf(root) {
  const tree = /** @type {any} */ (root.getRootNode());
  // Chromium has a selection for each shadow tree.
  return tree.getSelection?.() ?? document.getSelection();
}

/** Code units of the first character. @param {string} text */
const firstLength = (text) => [...text][0]?.length ?? 0;

/**
 * Where two texts differ: the lengths of what they have in common at the beginning and at the end.
 * @param {string} before
 * @param {string} after
 */
function commonEnds(before, after) {
  const [a, b] = [[...plain(before)], [...plain(after)]];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head: a.slice(0, head).join("").length, tail: a.slice(a.length - tail).join("").length };
}

/**
 * The steps in which a part of a text node becomes another text. Browsers remove a link or a format together with its last letter, and put what is
 * typed at its edge beside it; so what is new is typed between the letters that are there, which go afterwards.
 * @param {Text} node
 * @param {number} start
 * @param {number} end
 * @param {string} text
 * @param {boolean} isPlain whether there is nothing around it that could be lost
 * @returns {[from: number, to: number, text: string][]}
 */
function stepsTo({ data }, start, end, text, isPlain) {
  const { head, tail } = commonEnds(data.slice(start, end), text);
  let [from, to, words] = [start + head, end - tail, text.slice(head, text.length - tail)];
  if (from === to && words === "") return [];
  const isAtEdge = from === 0 || to === data.length;
  const isAll = start === 0 && end === data.length;
  if ((isPlain && isAll) || !isAtEdge || words === "") return [[from, to, words]];
  if (to - from <= firstLength(data.slice(from, to))) [from, to, words] = [start, end, text];
  const first = firstLength(data.slice(from, to));
  const middle = from + first;
  /** @type {[from: number, to: number, text: string][]} */
  const steps = [
    [middle, middle, words],
    [middle + words.length, to + words.length, ""],
    [from, middle, ""],
  ];
  // Deleting nothing would delete the letter before it.
  return steps.filter(([from, to, words]) => from < to || words !== "");
}

export class Retyping {
  #root;
  #outline;
  #steps = 0;

  /** @param {Element} root an editor with the focus */
  constructor(root) {
    this.#root = root;
    this.#outline = outline(root);
  }

  /**
   * Replaces a part of a text node.
   * @param {import("./written.js").Piece} piece
   * @param {string} text
   * @param {boolean} isPlain whether there is nothing around it that could be lost
   * @returns {Promise<boolean>} whether the editor has taken it and everything else is as before
   */
  async replace({ node, start, end, text: before }, text, isPlain) {
    // Browsers may have gone on with another text in the same node.
    if (node.data.slice(start, end) !== before) return false;
    for (const [from, to, words] of stepsTo(node, start, end, text, isPlain))
      if (!(await this.#step(node, from, to, words))) return false;
    return true;
  }

  /** @param {Text} node @param {number} from @param {number} to @param {string} words */
  async #step(node, from, to, words) {
    const root = this.#root;
    if (!root.contains(node) || to > node.length) return false;
    const range = document.createRange();
    range.setStart(root, 0);
    range.setEnd(node, from);
    const before = range.toString();
    range.selectNodeContents(root);
    range.setStart(node, to);
    const wanted = plain(before + words + range.toString());
    selectionOf(root)?.setBaseAndExtent(node, from, node, to);
    if (!document.execCommand(words === "" ? "delete" : "insertText", false, words)) return false;
    this.#steps++;
    for (let tries = 0; tries < TRIES; tries++) {
      if (plain(root.textContent ?? "") === wanted) return outline(root) === this.#outline;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return false;
  }

  /** Takes back what was done. */
  undo() {
    for (; this.#steps > 0; this.#steps--) document.execCommand("undo");
  }
}
