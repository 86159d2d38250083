/**
 * Finds what is to be translated: runs of text and inline elements between borders, and attributes.
 */
import { cutRun, isField } from "./borders.js";
import {
  ELEMENT,
  attributeOf,
  firstChildOf,
  following,
  hostOf,
  isElement,
  isText,
  nameOf,
  nextSiblingOf,
  parentOf,
  shadowRootOf,
  typeOf,
} from "./dom.js";
import { cutFormulas } from "./formulas.js";
import { holdsNoText, partOf } from "./kinds.js";
import { beginsLine, isFloating, isInline, keepsLines } from "./layout.js";
import { areLetters, isInitialOf, isWordBefore } from "./letters.js";
import { findWraps } from "./lines.js";
import { hasWords, translatableAttributes } from "./rules.js";
import { isOpen, isSameText, stateInside } from "./states.js";

/** @typedef {import("./states.js").State} State */
/** @typedef {import("./states.js").Reading} Reading */

/** No node, in the numbers that the engine takes. */
export const NONE = 0xffffffff;

/** Kinds of nodes as the engine counts them. */
export const KIND = { element: 0, verbatim: 1, text: 2 };

/** A run of more nodes is not a sentence that anybody wrote; it is cut. */
const MOST_NODES = 1000;

/** Longer runs of text are data, not text for readers. */
const MOST_TEXT = 200_000;

/** Nodes looked at between two looks at the clock. */
const STRIDE = 32;

const IS_VISIBLE = /\S/;

/** What stands for a part of a text here; the page's own text may look like it. */
const STAND_INS = /\{\d+\}/g;

/**
 * What has become of a text. From each state it moves only to those in {@link NEXT}, and only through the run's `transition()`.
 */
export const STATE = /** @type {const} */ ({
  /** Found; nobody has asked for its translation. */
  found: "found",
  /** It is in the queue, and whether it is in view is tracked. */
  waiting: "waiting",
  /** Its translation has arrived, and is written soon. */
  ready: "ready",
  /** The page shows its translation. */
  shown: "shown",
  /** The reader wants to see its original. */
  original: "original",
  /** It has no translation: it is in another language, or the engine or the writing has failed. */
  left: "left",
  /** Its nodes no longer belong to it. */
  gone: "gone",
});

/** @typedef {typeof STATE[keyof typeof STATE]} TextState */

/** @type {Record<TextState, readonly TextState[]>} */
export const NEXT = {
  found: ["waiting", "ready", "gone"],
  waiting: ["ready", "left", "gone", "original"],
  ready: ["shown", "left", "gone", "original"],
  shown: ["original", "left", "gone"],
  original: ["waiting", "ready", "gone"],
  left: ["gone"],
  gone: [],
};

/** A run of text and inline elements. */
export class Block {
  /** @type {TextState} */
  state = STATE.found;
  /** @type {import("./queue.js").Priority} */
  priority = 0;
  /** What the page shows of its translation. @type {import("./apply.js").Shown | null} */
  applied = null;
  /** When that was written. */
  since = 0;
  /** The run's nodes in document order, without those inside verbatim elements. @type {ChildNode[]} */
  nodes = [];
  /** For each node the four numbers that the engine wants. @type {number[]} */
  tree = [];
  /** Parents of the nodes when they were collected. @type {Node[]} */
  parents = [];
  /** Its text nodes, and what stood in each. @type {Map<Text, string>} */
  sources = new Map();
  text = "";
  /** For each line break of the text, whether it is an element of its own. @type {boolean[]} */
  breaks = [];
  /** Parts that stay as they are, by what stands for them in the text. @type {Map<string, ChildNode | string>} */
  kept = new Map();
  /** Formulas within text nodes, by their index. @type {Map<number, string>} */
  formulas = new Map();
  /** Texts spread over several nodes within words, by their index. @type {Map<number, Spread>} */
  spreads = new Map();
  /** Characters in a line where lines are broken by hand and not by the browser; 0 elsewhere. */
  width = 0;
  /** What equal blocks have in common. */
  key = "";

  /** What looks like a stand-in in the page's own text. @type {Set<string>} */
  #taken;

  /**
   * @param {Node} container the node whose children the run's top nodes are
   * @param {State} around
   * @param {string} own all of the run's own text
   */
  constructor(container, { languageFrom, declared, field }, own) {
    this.container = container;
    this.#taken = new Set(own.match(STAND_INS));
    /** The field of the page's own making that it is in. */
    this.field = field;
    /** The element whose `lang` says that this is to be translated; null for the document's. */
    this.languageFrom = languageFrom;
    /** The language that it is said to be in; null if nothing says so. */
    this.declared = declared;
  }

  /** The element that is observed to tell whether the block is in view. @returns {Element | null} */
  get target() {
    const { container } = this;
    if (isElement(container)) return container;
    return this.nodes.find(isElement) ?? hostOf(container);
  }

  /** The node that the page must hold for the block to be there. */
  get anchor() {
    return this.container;
  }

  /** The text as the page had it, to the letter. */
  get original() {
    let text = "";
    /** @type {Set<Node>} */
    const seen = new Set();
    this.nodes.forEach((node, i) => {
      const spread = this.spreads.get(i);
      if (spread) text += spread.texts.map((part) => this.sources.get(part) ?? "").join("");
      else if (isText(node)) {
        if (!seen.has(node)) text += this.sources.get(node) ?? "";
        seen.add(node);
      } else if (this.tree[4 * i + 1] === KIND.verbatim) text += node.textContent ?? "";
      else if (isElement(node) && nameOf(node) === "br") text += "\n";
    });
    return text;
  }

  /** The last of the run's nodes. @returns {ChildNode | undefined} */
  get lastTop() {
    const spread = this.spreads.get(0);
    if (spread) return spread.tops[spread.tops.length - 1];
    return this.nodes.findLast((_, i) => this.tree[4 * i] === NONE);
  }

  /** A text in which the parts that stay replace what stands for them. @param {string} text */
  withKept(text) {
    // What has been put in may itself look like a stand-in.
    return text.replace(STAND_INS, (standIn) => {
      const part = this.kept.get(standIn) ?? standIn;
      return typeof part === "string" ? part : (part.textContent ?? "").trim();
    });
  }

  /** @returns {Iterable<Node>} */
  *allNodes() {
    yield* this.nodes;
    yield* this.sources.keys();
    for (const { tops } of this.spreads.values()) yield* tops;
  }

  /** @param {Node | null} parent @param {number} kind @param {ChildNode} node @param {number} parentIndex */
  open(parent, kind, node, parentIndex) {
    this.nodes.push(node);
    this.parents.push(/** @type {Node} */ (parent));
    this.tree.push(parentIndex, kind, this.text.length, this.text.length);
    return this.nodes.length - 1;
  }

  /** @param {number} index */
  close(index) {
    this.tree[4 * index + 3] = this.text.length;
  }

  /** Adds something in the line that stays as it is. @param {ChildNode} node @param {number} parentIndex @param {ChildNode | string} part */
  keep(node, parentIndex, part) {
    const index = this.open(parentOf(node), KIND.verbatim, node, parentIndex);
    let number = this.kept.size + 1;
    while (this.kept.has(`{${number}}`) || this.#taken.has(`{${number}}`)) number++;
    const standIn = `{${number}}`;
    this.kept.set(standIn, part);
    this.text += standIn;
    this.close(index);
    return index;
  }
}

/**
 * A text spread over several nodes within words.
 * @typedef {object} Spread
 * @property {ChildNode[]} tops the nodes of the run that it takes up
 * @property {Text[]} texts
 */

/** An attribute with text for readers. */
export class AttributeText {
  /** @type {TextState} */
  state = STATE.found;
  /** @type {import("./queue.js").Priority} */
  priority = 0;

  /** @param {Element} element @param {string} name @param {string} text @param {State} around */
  constructor(element, name, text, { declared, languageFrom }) {
    this.element = element;
    this.name = name;
    this.declared = declared;
    this.languageFrom = languageFrom;
    this.text = text.replace(/\s/g, " ");
    this.key = `${this.text}\n${declared ?? ""}`;
  }

  get target() {
    return this.element;
  }

  get anchor() {
    return this.element;
  }
}

/**
 * What a scan finds, and what it asks.
 * @typedef {object} Finder
 * @property {Reading} reading
 * @property {(text: Text) => string} sourceOf a text node's own text, whatever it shows now
 * @property {(node: Node) => boolean} isKnown whether a node belongs to a block that was found before
 * @property {(block: Block) => void} onblock
 * @property {(attribute: AttributeText) => void} onattribute
 * @property {(node: Node) => boolean} isScanned whether a node's children were looked at one by one
 * @property {(error: unknown) => void} onerror something is wrong with one node
 * @property {(element: Element, inside: State) => void} onelement sees every element: shadow trees, frames
 * @property {(container: Node) => void} oncontainer sees every node whose children are looked at one by one
 */

/**
 * Goes through everything inside `root`, a little at a time.
 *
 * @param {Node} root
 * @param {State} state the state inside of it
 * @param {Finder} finder
 * @param {boolean} [shallow] only runs of its own children, and what was never looked at
 * @returns {Generator<void, void, void>} stops wherever one may look at the clock
 */
export function* scan(root, state, finder, shallow = false) {
  const scanner = new Scanner(finder);
  /** @type {{container: Node, state: State}[]} */
  const pending = [{ container: root, state }];
  let steps = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { container, state } = next;
    finder.oncontainer(container);
    const textless = holdsNoText(container);
    /** @type {ChildNode[]} */
    let run = [];
    let runNodes = 0;
    /** @type {{container: Node, state: State}[]} */
    const inside = [];
    const endRun = () => {
      for (const alone of scanner.endRun(container, run, state))
        inside.push({ container: alone, state: scanner.inside(alone, state) });
      run = [];
      runNodes = 0;
    };
    /** @param {ChildNode} node */
    const take = (node) => {
      if (finder.isKnown(node)) return endRun();
      if (isText(node)) {
        if (textless) return;
        if (++runNodes > MOST_NODES) endRun();
        run.push(node);
        return;
      }
      if (!isElement(node)) return;
      const size = isOpen(state) && !textless ? scanner.inlineSize(node) : 0;
      if (size > 0) {
        runNodes += size;
        if (runNodes > MOST_NODES) endRun();
        run.push(node);
        return;
      }
      endRun();
      const within = scanner.inside(node, state);
      scanner.visit(node, within);
      const isClosed = nameOf(node) !== "svg" && scanner.part(node) !== "words";
      if (isClosed || (shallow && finder.isScanned(node))) return;
      inside.push({ container: node, state: within });
    };
    for (let child = firstChildOf(container); child;) {
      if (++steps % STRIDE === 0) {
        yield;
        // The page may have changed meanwhile; then its observer causes another look.
        if (parentOf(child) !== container) break;
        run = run.filter((node) => parentOf(node) === container);
      }
      const node = child;
      child = nextSiblingOf(child);
      try {
        take(node);
      } catch (error) {
        run = [];
        finder.onerror(error);
      }
    }
    endRun();
    // In the document's order.
    for (const item of inside.reverse()) pending.push(item);
  }
}

class Scanner {
  #finder;
  /** Elements that stand in a line but have block borders inside. @type {WeakSet<Node>} */
  #broken = new WeakSet();
  /** @type {WeakMap<Element, import("./kinds.js").Part>} */
  #parts = new WeakMap();

  /** @param {Finder} finder */
  constructor(finder) {
    this.#finder = finder;
  }

  /** @param {Element} element @param {State} outer */
  inside(element, outer) {
    return stateInside(element, outer, this.#finder.reading);
  }

  /** How an element takes part in a sentence. @param {Element} element */
  part(element) {
    let part = this.#parts.get(element);
    if (!part) this.#parts.set(element, (part = partOf(element)));
    return part;
  }

  /** Whether the contents of a node are not read as part of its sentence. @param {Node} node */
  #isWhole(node) {
    return isElement(node) && this.part(node) !== "words";
  }

  /** Attributes, shadow trees and frames of an element. @param {Element} element @param {State} state */
  visit(element, state) {
    this.#finder.onelement(element, state);
    if (!isOpen(state)) return;
    for (const name of translatableAttributes(element)) {
      const text = this.#finder.reading.attribute(element, name) ?? attributeOf(element, name) ?? "";
      this.#finder.onattribute(new AttributeText(element, name, text, state));
    }
  }

  /**
   * The number of nodes of an element that stands in a line as a whole; 0 if it is a block, or there are blocks inside.
   * @param {Element} element
   */
  inlineSize(element) {
    if (this.#broken.has(element) || !isInline(element) || shadowRootOf(element)) return 0;
    if (this.#isWhole(element)) return 1;
    let size = 1;
    for (let node = firstChildOf(element); node;) {
      const whole = this.#isWhole(node);
      const border = isElement(node) && !whole && (!isInline(node) || shadowRootOf(node));
      if (border || ++size > MOST_NODES) {
        // Everything around it is broken too, or too large for another count to gain anything.
        for (let at = parentOf(node); at && at !== element; at = parentOf(at)) this.#broken.add(at);
        this.#broken.add(element);
        return 0;
      }
      node = /** @type {ChildNode | null} */ (following(node, element, whole));
    }
    return size;
  }

  /**
   * Makes blocks of siblings, if they have something to translate.
   * @param {Node} container
   * @param {ChildNode[]} run
   * @param {State} state
   * @returns {Element[]} those that are to be looked into one by one instead
   */
  endRun(container, run, state) {
    if (!isOpen(state)) return [];
    /** @type {Element[]} */
    const alone = [];
    for (const node of run) if (isElement(node)) this.#visitAll(node, state, alone);
    const parts = run.map((node) => this.#describe(node));
    if (!parts.some(({ text }) => hasWords(text))) return alone;
    const pieces = cutRun(parts);
    for (const piece of pieces) {
      // Pictures and controls at the ends can stay where they are, whatever the words become.
      const shows = (/** @type {import("./borders.js").Part} */ { text, isKept }) => isKept || IS_VISIBLE.test(text);
      const middle = piece.slice(piece.findIndex(shows), piece.findLastIndex(shows) + 1);
      if (!middle.some(({ text }) => hasWords(text))) continue;
      const [first] = middle;
      if (
        middle.length === 1 &&
        first &&
        isElement(first.node) &&
        (pieces.length > 1 || this.#hasPictureAtEnd(first.node))
      ) {
        alone.push(first.node);
        continue;
      }
      const block = this.#collect(
        container,
        middle.map(({ node }) => node),
        state,
      );
      if (block) this.#finder.onblock(block);
    }
    return alone;
  }

  /** @param {ChildNode} node @returns {import("./borders.js").Part} */
  #describe(node) {
    let text = "";
    let isKept = false;
    for (let at = /** @type {Node | null} */ (node); at;) {
      if (isText(at)) text += this.#finder.sourceOf(at);
      const skip = this.#isWhole(at);
      isKept ||= skip && this.part(/** @type {Element} */ (at)) === "kept";
      at = following(at, node, skip);
    }
    return { node, text, isKept, isElement: isElement(node), isField: isField(node) };
  }

  /** @param {Element} element */
  #hasPictureAtEnd(element) {
    const { firstElementChild, lastElementChild } = element;
    return [firstElementChild, lastElementChild].some((child) => child !== null && this.part(child) === "picture");
  }

  /** @param {Element} element @param {State} state @param {Element[]} pictures those with texts of their own are added */
  #visitAll(element, state, pictures) {
    // The states inside matter only for attributes; code with a stack would be longer than this.
    /** @type {Map<Node, State>} */
    const states = new Map();
    const outer = parentOf(element);
    if (outer) states.set(outer, state);
    for (let node = /** @type {Node | null} */ (element); node;) {
      let skip = false;
      if (isElement(node)) {
        const inside = this.inside(node, states.get(/** @type {Node} */ (parentOf(node))) ?? state);
        states.set(node, inside);
        this.visit(node, inside);
        if (nameOf(node) === "svg" && isOpen(inside) && firstChildOf(node)) pictures.push(node);
        skip = this.#isWhole(node);
      }
      node = following(node, element, skip);
    }
  }

  /**
   * Whether there are words on both sides of a node among its siblings.
   * @param {ChildNode} node
   */
  #isAmongWords(node) {
    const isWord = (/** @type {Node | null} */ other) =>
      other !== null && hasWords(this.#describe(/** @type {ChildNode} */ (other)).text);
    let [before, after] = [node.previousSibling, node.nextSibling];
    while (before && !isWord(before)) before = before.previousSibling;
    if (!before) return false;
    while (after && !isWord(after)) after = after.nextSibling;
    return after !== null;
  }

  /**
   * @param {Node} container
   * @param {ChildNode[]} run
   * @param {State} state
   */
  #collect(container, run, state) {
    const lines = this.#linesOf(container, run);
    const block = new Block(container, state, lines.text);
    const spread = this.#findSpread(run);
    let words = false;
    /** How many line breaks of the run have been passed. */
    let passed = 0;
    const endsLine = () => {
      const wraps = lines.wraps[passed++] ?? false;
      return !wraps;
    };
    /** @param {string} text */
    const push = (text) => {
      if (!lines.keeps) {
        block.text += text.replace(/[\n\r\t\f]/g, " ");
        return;
      }
      for (const piece of text.replace(/\r(?!\n)|[\t\f]/g, " ").split(/(\r?\n)/)) {
        const isBreak = piece.endsWith("\n");
        if (isBreak && endsLine()) {
          // The same number of characters as in the source.
          block.text += piece.length === 2 ? " \n" : "\n";
          block.breaks.push(false);
        } else block.text += isBreak ? " " : piece;
      }
    };
    for (const top of run) {
      if (spread?.tops.includes(top)) {
        if (top !== spread.tops[0]) continue;
        const index = block.open(parentOf(top), KIND.text, top, NONE);
        block.spreads.set(index, spread);
        const sources = spread.texts.map((text) => this.#finder.sourceOf(text));
        spread.texts.forEach((text, i) => block.sources.set(text, sources[i] ?? ""));
        push(sources.slice(spread.mirrors).join(""));
        words = true;
        block.close(index);
        continue;
      }
      if (isElement(top) && /\S$/.test(block.text) && firstChildOf(top) && beginsLine(top)) lengthenLast(block);
      /** The elements the walk is in. @type {{index: number, node: Node, state: State}[]} */
      const open = [];
      for (let node = /** @type {ChildNode | null} */ (top); node;) {
        const parent = parentOf(node);
        while (open.length > 0 && open[open.length - 1]?.node !== parent) block.close(open.pop()?.index ?? 0);
        const around = open[open.length - 1];
        const parentIndex = around?.index ?? NONE;
        let skip = false;
        if (isText(node)) {
          const source = this.#finder.sourceOf(/** @type {Text} */ (node));
          words ||= hasWords(source);
          block.sources.set(/** @type {Text} */ (node), source);
          for (const { text, isFormula } of cutFormulas(source)) {
            if (isFormula) {
              block.formulas.set(block.keep(node, parentIndex, text), text);
              continue;
            }
            const index = block.open(parent, KIND.text, node, parentIndex);
            push(text);
            block.close(index);
          }
        } else if (typeOf(node) === ELEMENT) {
          const inner = /** @type {Element} */ (/** @type {unknown} */ (node));
          const inside = this.inside(inner, around?.state ?? state);
          const part = this.part(inner);
          const stays = part === "kept" || (part === "words" && !isSameText(inside, state));
          skip = part !== "words" || stays;
          if (stays || (part === "picture" && this.#isAmongWords(node))) {
            block.keep(node, parentIndex, node);
          } else if (nameOf(inner) === "br" && endsLine()) {
            const index = block.open(parent, KIND.element, node, parentIndex);
            block.text += "\n";
            block.breaks.push(true);
            block.close(index);
          } else {
            // A line that was broken by hand ends in a blank for the translation.
            if (nameOf(inner) === "br" && !/\s$/.test(block.text)) lengthenLast(block);
            const index = block.open(parent, KIND.element, node, parentIndex);
            if (!skip && firstChildOf(inner)) open.push({ index, node: inner, state: inside });
          }
        }
        node = /** @type {ChildNode | null} */ (following(node, top, skip));
      }
      for (const { index } of open) block.close(index);
    }
    block.width = lines.width;
    block.key = `${block.text}\n${block.tree.join()}${block.declared ?? ""}`;
    return words && block.text.length <= MOST_TEXT ? block : null;
  }

  /**
   * The part of a run that is letters rather than words.
   * @param {ChildNode[]} run
   * @returns {(Spread & {mirrors: number}) | null} `mirrors` is how many of its texts repeat the next for the eye
   */
  #findSpread(run) {
    if (run.length < 2 && !(run[0] && isElement(run[0]) && run[0].childElementCount > 1)) return null;
    const [first, second, third] = run;
    if (first && second && isElement(first) && isText(second)) {
      const text = first.firstChild;
      if (text && isText(text) && !text.nextSibling) {
        const [initial, rest] = [this.#finder.sourceOf(text), this.#finder.sourceOf(second)];
        const isWord = isWordBefore(initial, rest) && isFloating(first);
        if (isWord || isInitialOf(initial, rest)) return { tops: [first, second], texts: [text, second], mirrors: 0 };
      }
    }
    if (first && second && third && isElement(first) && isElement(second) && isText(third)) {
      const [shown, said] = [first.firstChild, second.firstChild];
      if (shown && said && isText(shown) && isText(said) && attributeOf(first, "aria-hidden") === "true") {
        const [a, b, rest] = [shown, said, third].map((text) => this.#finder.sourceOf(text));
        if (a && a === b && isInitialOf(a, rest ?? "")) {
          return { tops: [first, second, third], texts: [shown, said, third], mirrors: 1 };
        }
      }
    }
    /** @type {Text[]} */
    const texts = [];
    for (const top of run) {
      for (let node = /** @type {Node | null} */ (top); node; node = following(node, top, false)) {
        if (isText(node)) texts.push(node);
        else if (isElement(node) && (this.#isWhole(node) || /^(a|button|label)$/.test(nameOf(node)))) return null;
      }
    }
    const sources = texts.map((text) => this.#finder.sourceOf(text));
    return areLetters(sources) ? { tops: run, texts, mirrors: 0 } : null;
  }

  /**
   * A run's own text and its line breaks: those that are elements and, where they are shown, those within text.
   * @param {Node} container
   * @param {ChildNode[]} run
   */
  #linesOf(container, run) {
    const element = isElement(container) ? container : hostOf(container);
    /** @type {boolean | undefined} */
    let keeps;
    let text = "";
    for (const top of run) {
      for (let node = /** @type {Node | null} */ (top); node;) {
        if (isText(node)) {
          const source = this.#finder.sourceOf(node);
          if (source.includes("\n")) keeps ??= element !== null && keepsLines(element);
          text += keeps ? source : source.replace(/\s+/g, " ");
        } else if (isElement(node) && nameOf(node) === "br") text += "\n";
        node = following(node, top, this.#isWhole(node));
      }
    }
    const wraps = findWraps(text);
    const isHard = element !== null && wraps.includes(true) && getComputedStyle(element).whiteSpace === "pre";
    const width = isHard ? Math.max(...text.split("\n").map(({ length }) => length)) : 0;
    return { text, keeps: keeps ?? false, wraps, width };
  }
}

/** Ends the preceding text with a blank. @param {Block} block */
function lengthenLast(block) {
  const last = block.nodes.length - 1;
  if (block.tree[4 * last + 1] !== KIND.text || block.tree[4 * last + 3] !== block.text.length) return;
  const end = block.text.length;
  block.text += " ";
  for (let at = last; at !== NONE && block.tree[4 * at + 3] === end; at = block.tree[4 * at] ?? NONE) block.close(at);
}
