/**
 * Puts translations into a page's own nodes, and originals back. Text nodes stay and get other text, elements stay and at most change
 * places with their siblings, so whoever holds them (a framework, a script, the reader's focus) finds them as before.
 */
import { KIND, NONE } from "./blocks.js";
import { arrange } from "./arrange.js";
import {
  attributeOf,
  dataOf,
  detach,
  documentOf,
  findAll,
  isElement,
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

  /** @param {Text} text */
  restoreText(text) {
    const state = this.#texts.get(text);
    if (!state) return;
    this.#texts.delete(text);
    // What the page has written since is its own.
    if (dataOf(text) === state.written) writeData(text, state.original);
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
 * The button that sends a form sends its label too, and a server may go by it.
 * @param {FormDataEvent} event
 * @param {Originals} originals
 */
export function sendOriginals({ target, formData }, originals) {
  for (const button of findAll(/** @type {Element} */ (target), "input[type=submit][name]")) {
    if (!originals.isWritten(button, "value")) continue;
    const name = attributeOf(button, "name") ?? "";
    const shown = attributeOf(button, "value");
    const values = formData
      .getAll(name)
      .map((value) => (value === shown ? originals.attributeOf(button, "value") : value));
    formData.delete(name);
    for (const value of values) formData.append(name, /** @type {string} */ (value));
  }
}

/**
 * How the page shows a block's translation.
 * @typedef {object} Shown
 * @property {Node[]} made nodes that were made for it
 * @property {boolean} isPlain whether only text has changed, so that the page can be read as if it were untranslated
 * @property {() => void} undo puts the original back, as far as the page has not changed what is there
 */

/** A block's translation in the place of its original. @implements {Shown} */
export class Applied {
  #block;
  #originals;
  /** Text nodes that were made. @type {Text[]} */
  #made = [];
  /** The order that children had where some have moved. @type {Map<Node, Node[]>} */
  #order = new Map();
  /** Options whose value was their text. @type {Element[]} */
  #options = [];

  /**
   * Writes the translation.
   * @param {Block} block whose nodes are as they were collected, see {@link isIntact}
   * @param {TranslatedBlock} translation
   * @param {Originals} originals
   */
  constructor(block, translation, originals) {
    this.#block = block;
    this.#originals = originals;
    const texts = withoutBreaks(block, translation);
    /** @type {Map<number, Node[]>} */
    const children = new Map();
    /** @type {[Text, string][]} */
    const writes = [];
    for (let i = 0; i < translation.places.length; i += 4) {
      const [index = NONE, parent = NONE, start = 0, end = 0] = [0, 1, 2, 3].map((k) => translation.places[i + k]);
      let node = /** @type {Node | undefined} */ (block.nodes[index]);
      if (index === NONE) {
        const made = /** @type {Document} */ (documentOf(block.container)).createTextNode(texts(start, end));
        this.#made.push(made);
        node = made;
      } else if (node && block.tree[4 * index + 1] === KIND.text) {
        writes.push([/** @type {Text} */ (node), texts(start, end)]);
      }
      if (!node) continue;
      const siblings = children.get(parent);
      if (siblings) siblings.push(node);
      else children.set(parent, [node]);
    }
    this.#keepValues();
    for (const [node, text] of writes) originals.writeText(node, text);
    for (const [index, wanted] of children) {
      const parent = index === NONE ? block.container : /** @type {Node} */ (block.nodes[index]);
      const order = arrange(parent, wanted);
      if (order) this.#order.set(parent, order);
    }
  }

  get isPlain() {
    return this.#made.length === 0 && this.#order.size === 0 && this.#options.length === 0;
  }

  get made() {
    return this.#made;
  }

  undo() {
    for (const node of this.#made) detach(node);
    for (const text of this.#block.sources.keys()) this.#originals.restoreText(text);
    for (const [parent, order] of this.#order) {
      const left = order.filter((node) => parentOf(node) === parent);
      if (left.length > 1) arrange(parent, left);
    }
    for (const option of this.#options) this.#originals.restoreAttribute(option, "value");
  }

  /** An option without a value sends its text: it has to send what it sent. */
  #keepValues() {
    const { container } = this.#block;
    if (!isElement(container) || nameOf(container) !== "option" || attributeOf(container, "value") !== null) return;
    const option = /** @type {HTMLOptionElement} */ (container);
    this.#options.push(option);
    this.#originals.writeAttribute(option, "value", option.value);
  }
}

/**
 * Whether nothing of a block has changed since it was collected.
 * @param {Block} block
 * @param {Originals} originals
 */
export function isIntact(block, originals) {
  for (const [text, source] of block.sources) if (originals.textOf(text) !== source) return false;
  return block.nodes.every((node, i) => parentOf(node) === block.parents[i]);
}

/**
 * Cuts the translation, without the line breaks that are elements of their own.
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
