/**
 * Which text a node or an attribute belongs to.
 */
import { composedParentOf } from "./dom.js";

/** @typedef {import("./blocks.js").Block} Block */
/** @typedef {import("./blocks.js").AttributeText} AttributeText */

export class Registry {
  /** Blocks by each of their nodes. @type {WeakMap<Node, Block>} */
  #blocks = new WeakMap();
  /** @type {WeakMap<Element, Map<string, AttributeText>>} */
  #attributes = new WeakMap();
  /** Nodes whose children were looked at one by one. @type {WeakSet<Node>} */
  #containers = new WeakSet();

  /** The block that a node itself is part of. @param {Node} node */
  blockOf(node) {
    return this.#blocks.get(node);
  }

  /** Enters nodes as a block's; by default its own. @param {Block} block @param {Iterable<Node>} [nodes] */
  addBlock(block, nodes = block.allNodes()) {
    for (const node of nodes) this.#blocks.set(node, block);
  }

  /** Forgets that nodes are a block's; by default its own. @param {Block} block @param {Iterable<Node>} [nodes] */
  removeBlock(block, nodes = block.allNodes()) {
    for (const node of nodes) if (this.#blocks.get(node) === block) this.#blocks.delete(node);
  }

  /** @param {Element} element @param {string} name */
  attributeOf(element, name) {
    return this.#attributes.get(element)?.get(name);
  }

  /** @param {Element} element @returns {AttributeText[]} */
  attributesOf(element) {
    return [...(this.#attributes.get(element)?.values() ?? [])];
  }

  /** @param {AttributeText} attribute */
  addAttribute(attribute) {
    const known = this.#attributes.get(attribute.element);
    if (known) known.set(attribute.name, attribute);
    else this.#attributes.set(attribute.element, new Map([[attribute.name, attribute]]));
  }

  /** @param {AttributeText} attribute */
  removeAttribute({ element, name }) {
    this.#attributes.get(element)?.delete(name);
  }

  /** @param {Node} node */
  isContainer(node) {
    return this.#containers.has(node);
  }

  /** @param {Node} node */
  addContainer(node) {
    this.#containers.add(node);
  }

  /** @param {Node} node */
  removeContainer(node) {
    this.#containers.delete(node);
  }

  /** The node whose children form the run that a node's children belong to. @param {Node} node */
  containerOf(node) {
    let at = node;
    for (let up = composedParentOf(at); up && !this.#containers.has(at); up = composedParentOf(at)) at = up;
    return at;
  }

  /** The block that a node is in, at any depth. @param {Node} node @returns {Block | null} */
  blockAt(node) {
    for (let at = /** @type {Node | null} */ (node); at; at = composedParentOf(at)) {
      const block = this.#blocks.get(at) ?? this.#blockIn(at);
      if (block) return block;
      if (this.#containers.has(at)) return null;
    }
    return null;
  }

  /** @param {Node} at */
  #blockIn(at) {
    if (!this.#containers.has(at)) return undefined;
    for (let child = at.firstChild; child; child = child.nextSibling) {
      const block = this.#blocks.get(child);
      if (block) return block;
    }
    return undefined;
  }
}
