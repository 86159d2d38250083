/**
 * What the page itself changes, and what has to be looked at again because of it.
 */
import { growthOf, isIntact } from "./apply.js";
import { AttributeText, STATE } from "./blocks.js";
import {
  DOCUMENT,
  attributeOf,
  composedParentOf,
  dataOf,
  following,
  isConnected,
  isElement,
  isText,
  parentOf,
  typeOf,
} from "./dom.js";
import { isInline } from "./layout.js";
import { DECIDING_ATTRIBUTES, translatableAttributes } from "./rules.js";
import { OPEN, isOpen, stateAt, stateOf } from "./states.js";

/** @typedef {import("./blocks.js").Block} Block */

/** A page that writes the original back this often may keep it. */
const MOST_CONTESTS = 3;

/** And this soon after it was translated: what a page writes at its own pace is not directed against the translation. */
const CONTEST_WITHIN_MS = 400;

export class Follower {
  #run;
  #registry;
  #originals;
  #reading;
  /** How often the page has put a block's original back. @type {WeakMap<Node, Map<string, number>>} */
  #contested = new WeakMap();
  /** Elements that are left alone because of their class. @type {WeakSet<Element>} */
  #excluded = new WeakSet();
  /** What the page has added since the run began. @type {WeakSet<Node>} */
  #arrived = new WeakSet();

  /**
   * @param {import("./run.js").Run} run
   * @param {import("./registry.js").Registry} registry
   * @param {import("./apply.js").Originals} originals
   * @param {import("./states.js").Reading} reading
   */
  constructor(run, registry, originals, reading) {
    this.#run = run;
    this.#registry = registry;
    this.#originals = originals;
    this.#reading = reading;
  }

  /** Whether the page insists on a block's original. @param {Block} block */
  isContested(block) {
    return (this.#contested.get(block.container)?.get(block.key) ?? 0) >= MOST_CONTESTS;
  }

  /** Whether the page has added a node, or something that it is in, since the run began. @param {Node} node */
  hasArrived(node) {
    for (let at = /** @type {Node | null} */ (node); at; at = composedParentOf(at))
      if (this.#arrived.has(at)) return true;
    return false;
  }

  /** @param {Element} element */
  meet(element) {
    if (isExcluded(element)) this.#excluded.add(element);
  }

  /** @param {MutationRecord} record */
  read(record) {
    const { type, target, attributeName } = record;
    if (type === "attributes") this.#attributeChanged(/** @type {Element} */ (target), attributeName ?? "");
    else if (type === "characterData") this.#textChanged(/** @type {Text} */ (target));
    else this.#childrenChanged(record);
  }

  /** @param {MutationRecord} record */
  #childrenChanged({ target, addedNodes, removedNodes, previousSibling, nextSibling }) {
    /** Texts that stood here and are gone. @type {{written: string, original: string}[]} */
    const replaced = [];
    for (const node of removedNodes) {
      const own = isText(node) && this.#originals.writtenIn(node);
      if (own) replaced.push(own);
      const block = this.#registry.blockOf(node);
      if (!block) continue;
      if (block.applied?.text) replaced.push({ written: block.applied.text, original: block.original });
      this.#run.giveUp(block);
    }
    for (const node of addedNodes) {
      this.#arrived.add(node);
      if (isText(node)) this.#followText(node, replaced);
    }
    const around = this.#registry.blockOf(target);
    if (around) this.#run.giveUp(around);
    let own = removedNodes.length > 0 && around !== undefined;
    for (const node of addedNodes) {
      if (!isConnected(node) || parentOf(node) !== target) continue;
      const inLine = isText(node) || (isElement(node) && isInline(node));
      own ||= inLine;
      if (isElement(node)) this.#registry.removeContainer(node);
      if (isElement(node) && !inLine) this.#lookInside(node);
      if (!inLine) continue;
      // The run that it stands in has grown.
      for (const neighbour of [previousSibling, nextSibling]) {
        const block = neighbour && this.#registry.blockOf(neighbour);
        if (!block) continue;
        this.#run.giveUp(block);
        this.#run.look(block.container);
      }
    }
    if (own || removedNodes.length > 0) this.#run.look(around?.container ?? this.#registry.containerOf(target));
  }

  /**
   * Adopts a text that was read, lengthened and written again.
   * @param {Text} text
   * @param {{written: string, original: string}[]} replaced
   */
  #followText(text, replaced) {
    for (const { written, original } of replaced) {
      const grown = growthOf(dataOf(text), written, original);
      if (grown === null) continue;
      this.#run.adoptText(text, grown);
      return;
    }
  }

  /** @param {Text} text */
  #textChanged(text) {
    const block = this.#registry.blockOf(text);
    const grown = this.#originals.grownIn(text, block ? textsGoneFrom(block) : []);
    if (grown !== null) this.#run.adoptText(text, grown);
    else this.#arrived.add(text);
    if (!block) {
      const parent = parentOf(text);
      if (parent) this.#run.look(this.#registry.containerOf(parent));
      return;
    }
    const isSoon = performance.now() - block.since < CONTEST_WITHIN_MS;
    if (block.state === STATE.shown && isSoon && isIntact(block, this.#originals)) this.#contest(block);
    this.#run.giveUp(block);
    this.#run.look(block.container);
  }

  /** The page insists on its original. @param {Block} block */
  #contest(block) {
    let contests = this.#contested.get(block.container);
    if (!contests) this.#contested.set(block.container, (contests = new Map()));
    contests.set(block.key, (contests.get(block.key) ?? 0) + 1);
  }

  /** @param {Element} element @param {string} name */
  #attributeChanged(element, name) {
    if (this.#originals.isWritten(element, name)) return;
    if (DECIDING_ATTRIBUTES.has(name)) {
      if (name === "class") {
        const excluded = isExcluded(element);
        if (excluded === this.#excluded.has(element)) return;
        if (excluded) this.#excluded.add(element);
        else this.#excluded.delete(element);
      }
      this.#lookInside(element);
      return;
    }
    const state = stateAt(element, this.#reading);
    const attribute = this.#registry.attributeOf(element, name);
    if (attribute) this.#run.giveUp(attribute);
    if (!state || !isOpen(state) || !translatableAttributes(element).includes(name)) return;
    this.#run.addAttribute(new AttributeText(element, name, attributeOf(element, name) ?? "", state));
  }

  /** Looks again at everything inside a node. @param {Node} root */
  #lookInside(root) {
    const above = this.#registry.blockAt(root);
    if (above) {
      this.#run.giveUp(above);
      this.#run.look(above.container);
    }
    // Blocks that have not changed are known and stay.
    const state = isElement(root) || typeOf(root) === DOCUMENT ? stateOf(root, this.#reading) : OPEN;
    if (!state || !isOpen(state)) this.#restoreInside(root);
    if (state) this.#run.scan(root, state);
    const parent = parentOf(root);
    if (parent && isElement(root) && isInline(root)) this.#run.look(this.#registry.containerOf(parent));
    else if (isElement(root) && state && isOpen(state)) {
      for (const name of translatableAttributes(root)) {
        const text = this.#originals.attributeOf(root, name) ?? "";
        this.#run.addAttribute(new AttributeText(root, name, text, state));
      }
      this.#run.meet(root, state);
    }
  }

  /** @param {Node} root */
  #restoreInside(root) {
    for (let node = /** @type {Node | null} */ (root); node; node = following(node, root, false)) {
      const block = this.#registry.blockOf(node);
      if (block) this.#run.giveUp(block);
      if (!isElement(node)) continue;
      for (const attribute of this.#registry.attributesOf(node)) this.#run.giveUp(attribute);
      this.#run.restoreAttributes(node);
    }
  }
}

/** Texts of a block that its page has taken out. @param {Block} block */
const textsGoneFrom = ({ sources, applied }) =>
  [...sources.keys(), ...(applied?.made ?? []).filter(isText)].filter((text) => parentOf(text) === null);

/** @param {Element} element */
const isExcluded = (element) => attributeOf(element, "class")?.includes("notranslate") ?? false;
