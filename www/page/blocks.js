/**
 * Finds what is to be translated: runs of text and inline elements between block borders, and attributes.
 */
import {
  ELEMENT,
  TEXT,
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
import {
  hasWords,
  isInline,
  isOpen,
  isVerbatim,
  isWordless,
  keepsLines,
  standsAlone,
  stateInside,
  translatableAttributes,
} from "./rules.js";

/** @typedef {import("./rules.js").State} State */
/** @typedef {import("./rules.js").Reading} Reading */

/** No node, in the numbers that the engine takes. */
export const NONE = 0xffffffff;

/** Kinds of nodes as the engine counts them. */
export const KIND = { element: 0, verbatim: 1, text: 2 };

/** A run of more nodes is no sentence that anybody wrote; it is cut. */
const MOST_NODES = 1000;

/** Longer runs of text are no text for readers, but data. */
const MOST_TEXT = 200_000;

/** Nodes looked at between two looks at the clock. */
const STRIDE = 32;

/** @param {string} text */
const isVisible = (text) => /\S/.test(text);

/**
 * What has become of a text. From each state it goes on only to those of {@link NEXT}, and only by the run's `transition()`.
 */
export const STATE = /** @type {const} */ ({
  /** Found; nobody has asked for its translation. */
  found: "found",
  /** It stands in the queue, and is followed with whether it is in view. */
  waiting: "waiting",
  /** Its translation is there, and is written soon. */
  ready: "ready",
  /** The page shows its translation. */
  shown: "shown",
  /** The reader wants to see its original. */
  original: "original",
  /** It has no translation: it is in another language, or the engine has failed. */
  left: "left",
  /** Its nodes belong to it no more. */
  gone: "gone",
});

/** @typedef {typeof STATE[keyof typeof STATE]} TextState */

/** @type {Record<TextState, readonly TextState[]>} */
export const NEXT = {
  found: ["waiting", "ready", "gone"],
  waiting: ["ready", "left", "gone", "original"],
  ready: ["shown", "left", "gone", "original"],
  shown: ["original", "gone"],
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
  /** The run's nodes in document order; what is inside of verbatim elements is not among them. @type {ChildNode[]} */
  nodes = [];
  /** For each node the four numbers that the engine wants. @type {number[]} */
  tree = [];
  /** Parents of the nodes when they were collected. @type {Node[]} */
  parents = [];
  /** Its text nodes, and what stood in each. @type {Map<Text, string>} */
  sources = new Map();
  text = "";
  /** For each line break of the text whether it is an element of its own. @type {boolean[]} */
  breaks = [];
  /** What equal blocks have in common. */
  key = "";

  /**
   * @param {Node} container the node whose children the run's top nodes are
   * @param {State} around
   */
  constructor(container, { languageFrom }) {
    this.container = container;
    /** The element whose `lang` says that this is to be translated; null for the document's. */
    this.languageFrom = languageFrom;
  }

  /** The element to look at for whether the block is in view. @returns {Element | null} */
  get target() {
    const { container } = this;
    if (isElement(container)) return container;
    return this.nodes.find(isElement) ?? hostOf(container);
  }

  /** What the page has to hold for the block to be there. */
  get anchor() {
    return this.container;
  }

  /** The text as the page had it. */
  get original() {
    return this.text;
  }

  /** @returns {Iterable<Node>} */
  allNodes() {
    return this.nodes;
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
}

/** An attribute with text for readers. */
export class AttributeText {
  /** @type {TextState} */
  state = STATE.found;
  /** @type {import("./queue.js").Priority} */
  priority = 0;

  /** @param {Element} element @param {string} name @param {string} text */
  constructor(element, name, text) {
    this.element = element;
    this.name = name;
    this.text = text.replace(/\s/g, " ");
    this.key = this.text;
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
 * Goes through all that is inside of `root`, a little at a time.
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
      if (typeOf(node) === TEXT) {
        if (++runNodes > MOST_NODES) endRun();
        run.push(node);
        return;
      }
      if (!isElement(node)) return;
      const size = isOpen(state) ? scanner.inlineSize(node) : 0;
      if (size > 0) {
        runNodes += size;
        if (runNodes > MOST_NODES) endRun();
        run.push(node);
        return;
      }
      endRun();
      const within = scanner.inside(node, state);
      scanner.visit(node, within);
      if (isWordless(node) || isVerbatim(node) || (shallow && finder.isScanned(node))) return;
      inside.push({ container: node, state: within });
    };
    for (let child = firstChildOf(container); child;) {
      if (++steps % STRIDE === 0) {
        yield;
        // The page may have changed meanwhile; then its observer has it looked at again.
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

  /** @param {Finder} finder */
  constructor(finder) {
    this.#finder = finder;
  }

  /** @param {Element} element @param {State} outer */
  inside(element, outer) {
    return stateInside(element, outer, this.#finder.reading);
  }

  /** Attributes, shadow trees and frames of an element. @param {Element} element @param {State} state */
  visit(element, state) {
    this.#finder.onelement(element, state);
    if (!isOpen(state)) return;
    for (const name of translatableAttributes(element)) {
      this.#finder.onattribute(
        new AttributeText(
          element,
          name,
          this.#finder.reading.attribute(element, name) ?? attributeOf(element, name) ?? "",
        ),
      );
    }
  }

  /**
   * The number of nodes of an element that stands in a line as a whole; 0 if it is a block, or there are blocks inside.
   * @param {Element} element
   */
  inlineSize(element) {
    if (this.#broken.has(element) || !isInline(element) || shadowRootOf(element)) return 0;
    if (isWordless(element) || isVerbatim(element)) return 1;
    let size = 1;
    for (let node = firstChildOf(element); node;) {
      const whole = isElement(node) && (isWordless(node) || isVerbatim(node));
      const border = isElement(node) && !whole && (!isInline(node) || shadowRootOf(node));
      if (border || ++size > MOST_NODES) {
        // All that is around it is broken too, or would be too large for anything to be gained by counting again.
        for (let at = parentOf(node); at && at !== element; at = parentOf(at)) this.#broken.add(at);
        this.#broken.add(element);
        return 0;
      }
      node = /** @type {ChildNode | null} */ (following(node, element, whole));
    }
    return size;
  }

  /**
   * Makes a block of siblings, if they have something to translate.
   * @param {Node} container
   * @param {ChildNode[]} run
   * @param {State} state
   * @returns {Element[]} those that are to be looked into one by one instead
   */
  endRun(container, run, state) {
    if (!isOpen(state)) return [];
    for (const node of run) if (isElement(node)) this.#visitAll(node, state);
    if (!run.some((node) => this.#has(node, hasWords))) return [];
    // Images and controls at the ends can stay where they are, whatever the words become.
    const shows = (/** @type {Node} */ node) => this.#has(node, isVisible, true);
    const middle = run.slice(run.findIndex(shows), run.findLastIndex(shows) + 1);
    if (middle.every((node) => !isText(node) || !hasWords(this.#finder.sourceOf(node)))) {
      const elements = middle.filter(isElement).filter((element) => this.#has(element, hasWords));
      if (elements.length > 1 && elements.every(standsAlone)) return elements;
    }
    const block = this.#collect(container, middle, state);
    if (block) this.#finder.onblock(block);
    return [];
  }

  /** @param {Element} element @param {State} state */
  #visitAll(element, state) {
    // States of what is inside matter only for attributes; a stack would be longer than this.
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
        skip = isWordless(node) || isVerbatim(node);
      }
      node = following(node, element, skip);
    }
  }

  /**
   * Whether a text inside of a node is such.
   * @param {Node} top
   * @param {(text: string) => boolean} such
   * @param {boolean} [verbatim] whether verbatim elements count
   */
  #has(top, such, verbatim = false) {
    for (let node = /** @type {Node | null} */ (top); node;) {
      if (isText(node) && such(this.#finder.sourceOf(node))) return true;
      const skip = isElement(node) && (isWordless(node) || (!verbatim && isVerbatim(node)));
      node = following(node, top, skip);
    }
    return false;
  }

  /**
   * @param {Node} container
   * @param {ChildNode[]} run
   * @param {State} state
   */
  #collect(container, run, state) {
    const block = new Block(container, state);
    /** @type {boolean | undefined} */
    let lines;
    const element = isElement(container) ? container : hostOf(container);
    let words = false;
    /** @param {string} text */
    const push = (text) => {
      const breaks = text.includes("\n") && (lines ??= element !== null && keepsLines(element));
      block.text += breaks ? text.replace(/[\r\t\f]/g, " ") : text.replace(/[\n\r\t\f]/g, " ");
      if (breaks) for (const character of text) if (character === "\n") block.breaks.push(false);
    };
    for (const top of run) {
      /** The elements the walk is in. @type {{index: number, node: Node, state: State}[]} */
      const open = [];
      for (let node = /** @type {ChildNode | null} */ (top); node;) {
        const parent = parentOf(node);
        while (open.length > 0 && open[open.length - 1]?.node !== parent) block.close(open.pop()?.index ?? 0);
        const around = open[open.length - 1];
        const parentIndex = around?.index ?? NONE;
        let skip = false;
        if (typeOf(node) === TEXT) {
          const source = this.#finder.sourceOf(/** @type {Text} */ (node));
          words ||= hasWords(source);
          block.sources.set(/** @type {Text} */ (node), source);
          const index = block.open(parent, KIND.text, node, parentIndex);
          push(source);
          block.close(index);
        } else if (typeOf(node) === ELEMENT) {
          const inner = /** @type {Element} */ (/** @type {unknown} */ (node));
          const inside = this.inside(inner, around?.state ?? state);
          const wordless = isWordless(inner);
          const verbatim = !wordless && (isVerbatim(inner) || !isOpen(inside));
          const index = block.open(parent, verbatim ? KIND.verbatim : KIND.element, node, parentIndex);
          skip = wordless || verbatim;
          if (verbatim) {
            push(inner.textContent ?? "");
            block.close(index);
          } else if (nameOf(inner) === "br") {
            block.text += "\n";
            block.breaks.push(true);
          } else if (!wordless && firstChildOf(inner)) {
            open.push({ index, node: inner, state: inside });
          }
        }
        node = /** @type {ChildNode | null} */ (following(node, top, skip));
      }
      for (const { index } of open) block.close(index);
    }
    block.key = `${block.text}\n${block.tree.join()}`;
    return words && block.text.length <= MOST_TEXT ? block : null;
  }
}
