export type State = import("./rules.js").State;
export type Reading = import("./rules.js").Reading;
/** @typedef {import("./rules.js").State} State */
/** @typedef {import("./rules.js").Reading} Reading */
/** No node, in the numbers that the engine takes. */
export declare const NONE = 4294967295;
/** Kinds of nodes as the engine counts them. */
export declare const KIND: {
  element: number;
  verbatim: number;
  text: number;
};
/** A run of text and inline elements. */
export declare class Block {
  container: Node;
  languageFrom: Element | null;
  /** The run's nodes in document order; what is inside of verbatim elements is not among them. @type {ChildNode[]} */
  nodes: ChildNode[];
  /** For each node the four numbers that the engine wants. @type {number[]} */
  tree: number[];
  /** Parents of the nodes when they were collected. @type {Node[]} */
  parents: Node[];
  text: string;
  /** For each line break of the text whether it is an element of its own. @type {boolean[]} */
  breaks: boolean[];
  /** What equal blocks have in common. */
  key: string;
  /** @type {import("./queue.js").Priority} */
  priority: import("./queue.js").Priority;
  /** @type {import("./apply.js").Applied | null} what the page shows of it */
  applied: import("./apply.js").Applied | null;
  /** Whether the reader wants to see its original. */
  showsOriginal: boolean;
  /**
   * @param {Node} container the node whose children the run's top nodes are
   * @param {Element | null} languageFrom the element whose `lang` says that this is to be translated
   */
  constructor(container: Node, languageFrom: Element | null);
  /** The element to look at for whether the block is in view. @returns {Element | null} */
  get target(): Element | null;
  /** @param {Node | null} parent @param {number} kind @param {ChildNode} node @param {number} parentIndex */
  open(parent: Node | null, kind: number, node: ChildNode, parentIndex: number): number;
  /** @param {number} index */
  close(index: number): void;
}
/** An attribute with text for readers. */
export declare class AttributeText {
  element: Element;
  name: string;
  text: string;
  key: string;
  /** @type {import("./queue.js").Priority} */
  priority: import("./queue.js").Priority;
  /** @param {Element} element @param {string} name @param {string} text */
  constructor(element: Element, name: string, text: string);
  get target(): Element;
}
export type Finder = {
  reading: Reading;
  /**
   * a text node's own text, whatever it shows now
   */
  sourceOf: (text: Text) => string;
  /**
   * whether a node belongs to a block that was found before
   */
  isKnown: (node: Node) => boolean;
  onblock: (block: Block) => void;
  onattribute: (attribute: AttributeText) => void;
  /**
   * whether a node's children were looked at one by one
   */
  isScanned: (node: Node) => boolean;
  /**
   * something is wrong with one node
   */
  onerror: (error: unknown) => void;
  /**
   * sees every element: shadow trees, frames
   */
  onelement: (element: Element, inside: State) => void;
  /**
   * sees every node whose children are looked at one by one
   */
  oncontainer: (container: Node) => void;
};
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
export declare function scan(root: Node, state: State, finder: Finder, shallow?: boolean): Generator<void, void, void>;
