/**
 * Writes translations into a page's own nodes, and puts originals back. Text nodes stay and get new text; elements stay and at most change
 * their order among siblings. So whatever holds them (a framework, a script, the reader's focus) finds them as before.
 */
import { KIND, NONE } from "./blocks.js";
import { arrange } from "./arrange.js";
import { spread } from "./letters.js";
import { wrap } from "./lines.js";
import {
  attributeOf,
  controlsOf,
  dataOf,
  detach,
  documentOf,
  isElement,
  matches,
  nameOf,
  parentOf,
  writeAttribute,
  writeData,
} from "./dom.js";

/** @typedef {import("./blocks.js").Block} Block */

/**
 * A block's translation as it comes from the engine.
 * @typedef {object} TranslatedBlock
 * @property {string} text
 * @property {ArrayLike<number>} places four numbers for each node, see `Translator.translateBlock`
 */

/** Shorter translations may begin or end a text by chance. */
const SHORTEST_GROWN = 2;

/**
 * The original of a text that begins or ends with what was written.
 * @param {string} data
 * @param {string} written
 * @param {string} original
 * @returns {string | null} null if it does not
 */
export function growthOf(data, written, original) {
  if (written.trim().length < SHORTEST_GROWN || data === original) return null;
  if (data.startsWith(written)) return original + data.slice(written.length);
  return data.endsWith(written) ? data.slice(0, -written.length) + original : null;
}

/**
 * What was written into a page, and what stood there before.
 */
export class Originals {
  /** @type {WeakMap<Text, {original: string, written: string}>} */
  #texts = new WeakMap();
  /** @type {WeakMap<Element, Map<string, {original: string | null, written: string | null}>>} */
  #attributes = new WeakMap();

  /** A text node's own text, whatever it shows. @param {Text} text */
  textOf(text) {
    const state = this.#texts.get(text);
    const data = dataOf(text);
    return state && state.written === data ? state.original : data;
  }

  /** @param {Text} text @param {string} data */
  writeText(text, data) {
    const original = this.textOf(text);
    if (data === original) this.#texts.delete(text);
    else this.#texts.set(text, { original, written: data });
    writeData(text, data);
  }

  /** What a text node shows of a translation; null if it shows none. @param {Text} text */
  writtenIn(text) {
    const state = this.#texts.get(text);
    return state?.written === dataOf(text) ? state : null;
  }

  /** Treats what a text node shows as the translation of another text. @param {Text} text @param {string} original */
  adoptText(text, original) {
    this.#texts.set(text, { original, written: dataOf(text) });
  }

  /**
   * The original of a text node that the page has lengthened: what stands beside our words is the page's own, unless it was moved there
   * from nodes that are gone, as `normalize()` does.
   * @param {Text} text
   * @param {Iterable<Text>} gone
   * @returns {string | null} null if it was not lengthened
   */
  grownIn(text, gone) {
    const state = this.#texts.get(text);
    if (!state) return null;
    const data = dataOf(text);
    const joined = { ...state };
    const left = new Set(gone);
    for (let found = true; found;) {
      found = false;
      for (const node of left) {
        const next = this.writtenIn(node);
        if (!next || next.written === "" || !data.startsWith(joined.written + next.written)) continue;
        joined.written += next.written;
        joined.original += next.original;
        left.delete(node);
        found = true;
      }
    }
    return data === joined.written ? joined.original : growthOf(data, joined.written, joined.original);
  }

  /** Treats what an attribute shows as the translation of another text. @param {Element} element @param {string} name @param {string} original */
  adoptAttribute(element, name, original) {
    let states = this.#attributes.get(element);
    if (!states) this.#attributes.set(element, (states = new Map()));
    states.set(name, { original, written: attributeOf(element, name) });
  }

  /** @param {Text} text */
  restoreText(text) {
    const state = this.#texts.get(text);
    if (!state) return;
    this.#texts.delete(text);
    const data = dataOf(text);
    // What the page has written since is its own.
    const own = data === state.written ? state.original : growthOf(data, state.written, state.original);
    if (own !== null) writeData(text, own);
  }

  /** An attribute as the page itself set it. @param {Element} element @param {string} name */
  attributeOf(element, name) {
    const value = attributeOf(element, name);
    const state = this.#attributes.get(element)?.get(name);
    return state && state.written === value ? state.original : value;
  }

  /** Whether an attribute shows what was written into it. @param {Element} element @param {string} name */
  isWritten(element, name) {
    const state = this.#attributes.get(element)?.get(name);
    return state !== undefined && state.written === attributeOf(element, name);
  }

  /** @param {Element} element @param {string} name @param {string | null} value */
  writeAttribute(element, name, value) {
    const original = this.attributeOf(element, name);
    if (original === value) return this.restoreAttribute(element, name);
    let states = this.#attributes.get(element);
    if (!states) this.#attributes.set(element, (states = new Map()));
    states.set(name, { original, written: value });
    writeAttribute(element, name, value);
  }

  /** @param {Element} element @param {string} name */
  restoreAttribute(element, name) {
    const states = this.#attributes.get(element);
    const state = states?.get(name);
    if (!states || !state) return;
    states.delete(name);
    if (attributeOf(element, name) === state.written) writeAttribute(element, name, state.original);
  }

  /** @param {Element} element */
  restoreAttributes(element) {
    for (const name of [...(this.#attributes.get(element)?.keys() ?? [])]) this.restoreAttribute(element, name);
  }
}

/**
 * The button that submits a form sends its label too, and a server may depend on it. Entries keep their order, on which it may depend as well.
 * @param {FormDataEvent} event
 * @param {Originals} originals
 */
export function sendOriginals({ target, formData }, originals) {
  /** Original labels by the button's name and what it shows. @type {Map<string, Map<FormDataEntryValue, string>>} */
  const labels = new Map();
  for (const button of controlsOf(/** @type {Element} */ (target))) {
    if (!matches(button, "input[type=submit][name]") || !originals.isWritten(button, "value")) continue;
    const name = attributeOf(button, "name") ?? "";
    const shown = labels.get(name) ?? new Map();
    labels.set(name, shown);
    shown.set(attributeOf(button, "value") ?? "", originals.attributeOf(button, "value") ?? "");
  }
  const entries = [...formData];
  if (!entries.some(([name, value]) => labels.get(name)?.has(value))) return;
  for (const [name] of entries) formData.delete(name);
  for (const [name, value] of entries) {
    const sent = labels.get(name)?.get(value) ?? value;
    // The types have files and texts in methods of their own.
    formData.append(name, /** @type {string} */ (sent));
  }
}

/**
 * How the page shows a block's translation.
 * @typedef {object} Shown
 * @property {Node[]} made nodes that were made for it
 * @property {string} text what takes the original's place, as a script reads it; empty if the original is still there
 * @property {boolean} replaces whether the translation takes the original's place
 * @property {boolean} isPlain whether only text has changed, so that the page can be read as if it were untranslated
 * @property {() => void} undo puts the original back, except where the page has changed what is there
 */

/**
 * A piece of a translated line: text for a text node, or for several that it is spread over.
 * @typedef {{node: Text | null, spread?: number, text: string}} Leaf
 */

/** Texts, and the indices of the elements without text between them. @typedef {(Leaf | number)[]} Line */

/** A block's translation in the place of its original. @implements {Shown} */
export class Applied {
  #block;
  #originals;
  /** Text nodes that were made. @type {Text[]} */
  #made = [];
  /** The original order of children, where some have moved. @type {Map<Node, Node[]>} */
  #order = new Map();
  /** Options whose value was their text. @type {Element[]} */
  #options = [];
  text = "";
  replaces = true;

  /**
   * Writes the translation.
   * @param {Block} block whose nodes are as they were collected, see {@link isIntact}
   * @param {TranslatedBlock} translation
   * @param {Originals} originals
   */
  constructor(block, translation, originals) {
    this.#block = block;
    this.#originals = originals;
    try {
      this.#write(translation);
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  /** @param {TranslatedBlock} translation */
  #write(translation) {
    const block = this.#block;
    const texts = withoutBreaks(block, translation);
    /** @type {Map<number, Node[]>} */
    const children = new Map();
    /** @type {Line} */
    const line = [];
    for (let i = 0; i < translation.places.length; i += 4) {
      const [index = NONE, parent = NONE, start = 0, end = 0] = [0, 1, 2, 3].map((k) => translation.places[i + k]);
      const siblings = children.get(parent) ?? [];
      children.set(parent, siblings);
      const node = block.nodes[index];
      const spread = block.spreads.get(index);
      if (spread) {
        line.push({ node: null, spread: index, text: texts(start, end) });
        siblings.push(...spread.tops);
      } else if (index === NONE || block.tree[4 * index + 1] === KIND.text || block.formulas.has(index)) {
        const text = block.formulas.get(index) ?? texts(start, end);
        const leaf = this.#leafFor(node, line, siblings);
        leaf.text += text;
      } else if (node) {
        siblings.push(node);
        if (block.tree[4 * index + 1] === KIND.verbatim) line.push({ node: null, text: node.textContent ?? "" });
        if (block.tree[4 * index + 2] === block.tree[4 * index + 3]) line.push(index);
      }
    }
    keepBlanks(block, line);
    this.#keepValues();
    this.text = line.map((leaf) => (typeof leaf === "number" ? "" : leaf.text)).join("");
    for (const leaf of line) {
      if (typeof leaf === "number") continue;
      if (leaf.node) this.#originals.writeText(leaf.node, block.width > 0 ? wrap(leaf.text, block.width) : leaf.text);
      else if (leaf.spread !== undefined) this.#writeSpread(leaf.spread, leaf.text);
    }
    for (const [index, wanted] of children) {
      const parent = index === NONE ? block.container : /** @type {Node} */ (block.nodes[index]);
      const order = arrange(parent, wanted);
      if (order) this.#order.set(parent, order);
    }
  }

  /**
   * The text node that the next piece of the line goes into. A node that was cut at a formula is joined again, unless its pieces have
   * been separated.
   * @param {ChildNode | undefined} node where the piece was, if anywhere
   * @param {Line} line
   * @param {Node[]} siblings
   * @returns {Leaf}
   */
  #leafFor(node, line, siblings) {
    const last = line[line.length - 1];
    if (node && typeof last === "object" && last.node === node && siblings[siblings.length - 1] === node) return last;
    const isFree = node && !line.some((leaf) => typeof leaf === "object" && leaf.node === node);
    let text = /** @type {Text} */ (node);
    if (!isFree) {
      text = /** @type {Document} */ (documentOf(this.#block.container)).createTextNode("");
      this.#made.push(text);
    }
    const leaf = { node: text, text: "" };
    line.push(leaf);
    siblings.push(text);
    return leaf;
  }

  /** @param {number} index @param {string} translation */
  #writeSpread(index, translation) {
    const { sources, spreads } = this.#block;
    const texts = spreads.get(index)?.texts ?? [];
    const pieces = spread(
      texts.map((text) => sources.get(text) ?? ""),
      translation,
    );
    texts.forEach((text, i) => this.#originals.writeText(text, pieces[i] ?? ""));
  }

  get isPlain() {
    return this.#made.length === 0 && this.#order.size === 0 && this.#options.length === 0;
  }

  get made() {
    return this.#made;
  }

  undo() {
    for (const node of this.#made) {
      // What the page has written into it is the page's own.
      if (this.#originals.textOf(node) === "") detach(node);
      else this.#originals.restoreText(node);
    }
    for (const text of this.#block.sources.keys()) this.#originals.restoreText(text);
    for (const [parent, order] of this.#order) {
      const left = order.filter((node) => parentOf(node) === parent);
      if (left.length > 1) arrange(parent, left);
    }
    for (const option of this.#options) this.#originals.restoreAttribute(option, "value");
  }

  /** An option without a value sends its text: it must still send its original text. */
  #keepValues() {
    const { container } = this.#block;
    if (!isElement(container) || nameOf(container) !== "option" || attributeOf(container, "value") !== null) return;
    const option = /** @type {HTMLOptionElement} */ (container);
    this.#options.push(option);
    this.#originals.writeAttribute(option, "value", option.value);
  }
}

/**
 * Whether a block is unchanged since it was collected.
 * @param {Block} block
 * @param {Originals} originals
 */
export function isIntact(block, originals) {
  for (const [text, source] of block.sources) if (originals.textOf(text) !== source) return false;
  return block.nodes.every((node, i) => parentOf(node) === block.parents[i]);
}

/**
 * Gives elements without text back the blanks that they had beside them.
 * @param {Block} block
 * @param {Line} line
 */
function keepBlanks(block, line) {
  line.forEach((index, at) => {
    if (typeof index !== "number") return;
    const place = block.tree[4 * index + 2] ?? 0;
    const [before, after] = [line[at - 1], line[at + 1]];
    const hasBlank = (/** @type {string | undefined} */ text) => text !== undefined && /^[ \n\u00a0]$/.test(text);
    if (hasBlank(block.text[place - 1]) && typeof before === "object" && /\S$/.test(before.text)) before.text += " ";
    if (
      hasBlank(block.text[place]) &&
      typeof after === "object" &&
      /^\S/.test(after.text) &&
      !/^[.,;:!?)]/.test(after.text)
    )
      after.text = ` ${after.text}`;
  });
}

/**
 * Cuts pieces out of the translation, without the line breaks that are elements of their own.
 * @param {Block} block
 * @param {TranslatedBlock} translation
 * @returns {(start: number, end: number) => string}
 */
function withoutBreaks(block, { text }) {
  if (!block.breaks.includes(true)) return (start, end) => text.slice(start, end);
  if (!block.breaks.includes(false)) return (start, end) => text.slice(start, end).replaceAll("\n", "");
  /** Offsets of line breaks. @type {Set<number>} */
  const dropped = new Set();
  for (let at = text.indexOf("\n"), i = 0; at >= 0; at = text.indexOf("\n", at + 1), i++) {
    if (block.breaks[i]) dropped.add(at);
  }
  return (start, end) => {
    let piece = "";
    for (let at = start; at < end; at++) if (!dropped.has(at)) piece += text[at];
    return piece;
  };
}
