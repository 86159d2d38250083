/**
 * One translation of a page, from `resume()` to `restore()`. Everything known about the page in between lives here and ends with it.
 */
import { NativePromise } from "../library/natives.js";
import { isIntact, sendOriginals } from "./apply.js";
import { arrange } from "./arrange.js";
import { isBeside } from "./beside.js";
import { AttributeText, Block, NEXT, STATE, scan } from "./blocks.js";
import { Calm } from "./calm.js";
import { Changes } from "./changes.js";
import {
  DOCUMENT,
  attributeOf,
  composedParentOf,
  dataOf,
  detach,
  documentOf,
  findAll,
  isBefore,
  isConnected,
  isElement,
  isText,
  nameOf,
  nextSiblingOf,
  parentOf,
  rootElementOf,
  typeOf,
} from "./dom.js";
import { isInEditor, isStyledAsEditor, isTypedInto } from "./editing.js";
import { Follower } from "./follow.js";
import { Judge } from "./judge.js";
import { directionOf } from "./languages.js";
import { Outputs, copiedNodes, nodesWithEnds } from "./outputs.js";
import { PRIORITY, Queue } from "./queue.js";
import { Registry } from "./registry.js";
import { stateOf, stateOfRoot } from "./states.js";
import { Slices } from "./slices.js";
import { Tally } from "./tally.js";
import { Trees } from "./trees.js";
import { Visibility } from "./visibility.js";
import { WAYS } from "./ways.js";
import { WeakItems } from "./weak-items.js";

/** @typedef {import("./queue.js").Priority} Priority */
/** @typedef {import("./apply.js").TranslatedBlock} TranslatedBlock */
/** @typedef {import("./blocks.js").Finder} Finder */
/** @typedef {import("./blocks.js").TextState} TextState */
/** @typedef {import("./states.js").State} State */
/** @typedef {import("./page.js").PageEvent} PageEvent */
/** @typedef {Block | AttributeText} Item */
/** Whatever has something of the translation in it. @typedef {Block | Element | Text} Written */

/**
 * What outlasts a run.
 * @typedef {object} Page
 * @property {Document} document
 * @property {import("./page.js").BlockTranslator} translator
 * @property {import("./page.js").PageOptions} options
 * @property {import("./apply.js").Originals} originals
 * @property {import("./cache.js").Cache<TranslatedBlock>} cache translations by their source
 * @property {(type: PageEvent["type"], details?: {message?: string, error?: unknown}) => void} dispatch
 */

/** By this long after the start, the browser should have said what is in view. */
const FIRST_LOOK_MS = 250;

/** Progress is told at most this often. */
const PROGRESS_INTERVAL_MS = 50;

/**
 * When an element declares a language, browsers redo in one piece the layout of everything that it declares it for. Where that would be
 * more elements than this, each block declares its own, since it is laid out again anyway.
 */
const MOST_SPOKEN_FOR = 4000;

export class Run {
  #page;
  #registry = new Registry();
  /** @type {Queue<Item>} */
  #queue;
  /** @type {Visibility<Item>} */
  #visibility;
  #changes;
  #slices;
  #trees;
  #calm;
  #follower;
  #judge;
  /** What this run has written, to recognise copies of it. */
  #outputs = new Outputs();
  /** Whether elements declare the language for too many others. @type {WeakMap<Element, boolean>} */
  #forMany = new WeakMap();
  /** @type {Finder} */
  #finder;
  /** Everything that was written, as long as the page holds it. @type {WeakItems<Written>} */
  #written = new WeakItems();
  /** Scans under way, the newest last. @type {Generator<void, void, void>[]} */
  #scans = [];
  /** Nodes whose own runs are to be looked at again. @type {Set<Node>} */
  #dirty = new Set();
  /** Translations that wait to be written, by priority. @type {Map<Item, TranslatedBlock>[]} */
  #results = [new Map(), new Map(), new Map()];
  /** Blocks that were given up while the page still shows their translation. @type {Set<Block>} */
  #orphans = new Set();
  /** @type {Set<ReturnType<typeof setTimeout>>} */
  #timers = new Set();
  #tally = new Tally();
  /** How often a translation was written. */
  #writes = 0;
  #lastTold = 0;
  #told = "";
  /** Whether the browser has said what is in view. */
  #seen = false;
  #begun = performance.now();
  #ended = false;
  /** @type {Promise<void> | null} */
  #completion = null;
  #complete = () => {};

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    const { translator, document, originals, options } = page;
    const after = (/** @type {number} */ milliseconds, /** @type {() => void} */ action) =>
      this.#after(milliseconds, action);
    this.#judge = new Judge(translator, options);
    this.#queue = new Queue(
      (item) => this.#judge.choose(item),
      page.cache,
      (item, translation) => this.#transition(item, STATE.ready, translation),
      (items, error) => this.#leave(items, error),
      (item) => this.#isThere(item),
    );
    this.#visibility = new Visibility((item, priority) => this.#setPriority(item, priority));
    this.#slices = new Slices(
      (hasTime) => this.#work(hasTime),
      (error) => this.#report(error),
    );
    this.#changes = new Changes(() => this.#slices.wake());
    this.#finder = {
      reading: {
        source: translator.sourceLanguage,
        attribute: (element, name) => originals.attributeOf(element, name),
        judges: this.#judge.judges,
      },
      sourceOf: (text) => originals.textOf(text),
      isKnown: (node) => this.#isKnown(node),
      isScanned: (node) => this.#registry.isContainer(node),
      onerror: (error) => this.#report(error),
      onblock: (block) => this.#addBlock(block),
      onattribute: (attribute) => this.addAttribute(attribute),
      onelement: (element, inside) => this.meet(element, inside),
      oncontainer: (container) => this.#registry.addContainer(container),
    };
    this.#calm = new Calm((node) => this.#dirty.add(node), after);
    this.#follower = new Follower(this, this.#registry, originals, this.#finder.reading);
    this.#trees = new Trees(this.#finder.reading, options.frames ?? true, {
      after,
      onsubmit: (event) => this.#safely(() => sendOriginals(event, originals)),
      onroot: (root, state) => {
        this.#changes.observe(root);
        this.#scans.push(scan(root, state, this.#finder));
        this.#slices.wake();
      },
    });
    this.#after(FIRST_LOOK_MS + 1, () => {});
    this.#trees.add(document, stateOfRoot(document));
    document.defaultView?.addEventListener("pageshow", this.#cameBack);
  }

  get registry() {
    return this.#registry;
  }

  get changes() {
    return this.#changes;
  }

  /** @returns {import("./page.js").Progress} */
  get progress() {
    return { ...this.#tally.count(), ...this.#outstanding(), unreachable: this.#trees.unreachable };
  }

  /** Resolves when everything that the page holds now is translated, or the run has ended. @returns {Promise<void>} */
  get complete() {
    if (this.#ended || this.#isIdle()) return NativePromise.resolve();
    this.#completion ??= /** @type {Promise<void>} */ (
      new NativePromise((resolve) => (this.#complete = () => resolve()))
    );
    return this.#completion;
  }

  /** Puts the whole page back as it was, except where it has changed itself. */
  end() {
    this.#ended = true;
    this.#page.document.defaultView?.removeEventListener("pageshow", this.#cameBack);
    this.#slices.stop();
    this.#changes.stop();
    this.#visibility.stop();
    this.#queue.clear();
    this.#trees.end();
    for (const timer of this.#timers) clearTimeout(timer);
    const { originals } = this.#page;
    for (const what of this.#written) {
      this.#safely(() => {
        if (what instanceof Block) {
          what.applied?.undo();
          // What an earlier translation of it has left in the page.
          for (const text of what.sources.keys()) originals.restoreText(text);
        } else if (isText(what)) originals.restoreText(what);
        else originals.restoreAttributes(what);
      });
    }
    this.#endCompletion();
  }

  /** Shows the original of a block, or its translation again. @param {Block} block @param {boolean} original */
  showOriginal(block, original) {
    const isShown = block.state === STATE.original;
    if (!original && isShown) this.#want(block, PRIORITY.visible);
    // What is left alone shows nothing else already.
    else if (original && NEXT[block.state].includes(STATE.original)) this.#transition(block, STATE.original);
  }

  // --- What becomes of a text ----------------------------------------------------------------------------------

  /**
   * The only place where a text's state changes: lets go of what its old state held, and sets up what the next one needs.
   * @param {Item} item
   * @param {TextState} to
   * @param {TranslatedBlock} [translation] for `ready` and `shown`
   */
  #transition(item, to, translation) {
    const from = item.state;
    if (!NEXT[from].includes(to)) throw new Error(`A text that is ${from} cannot become ${to}.`);
    if (from === STATE.waiting) {
      this.#queue.drop(item);
      if (item.target) this.#visibility.unwatch(item.target, item);
    } else if (from === STATE.ready) {
      for (const results of this.#results) results.delete(item);
    } else if (from === STATE.shown && item instanceof Block) {
      this.#unwrite(item, to);
    }
    item.state = to;
    if (to === STATE.shown || to === STATE.left) this.#tally.add(item);
    if (to === STATE.waiting) {
      this.#queue.put(item, item.priority);
      if (item.target && item.priority !== PRIORITY.visible) this.#visibility.watch(item.target, item);
    } else if (to === STATE.ready && translation) {
      this.#results[item.priority]?.set(item, translation);
      this.#slices.wake();
    } else if (to === STATE.shown && translation) {
      this.#writes++;
      if (item instanceof Block) this.#writeBlock(item, translation);
      else this.#writeAttribute(item, translation);
    } else if (to === STATE.gone) {
      this.#tally.remove(item);
      if (item instanceof Block) this.#registry.removeBlock(item);
      else if (this.#registry.attributeOf(item.element, item.name) === item) this.#registry.removeAttribute(item);
    }
  }

  /** @param {Block} block @param {TextState} to */
  #unwrite(block, to) {
    const { applied } = block;
    // The page may change or remove these nodes while they stand for nothing any more.
    this.#registry.removeBlock(block, applied?.made ?? []);
    // Until its nodes have been read again, text that was only replaced may stay: what is read is its original.
    if (to === STATE.gone && applied?.isPlain) {
      // Nobody may hold the block from now on.
      for (const text of block.sources.keys()) this.remember(text);
      this.#orphans.add(block);
      block.applied = null;
      return;
    }
    this.#changes.ignoring(() => applied?.undo());
    block.applied = null;
  }

  /** @param {Block} block @param {TranslatedBlock} translation */
  #writeBlock(block, translation) {
    this.remember(block);
    block.applied = WAYS[this.#page.options.show ?? "translation"](block, translation, this.#page);
    block.since = performance.now();
    this.#registry.addBlock(block, block.applied.made);
    if (!block.applied.replaces) return;
    if (translation.text !== block.text) this.#setLanguage(block);
    const { container } = block;
    const { text } = block.applied;
    this.#outputs.add(container, translation.text, block.original, copiedNodes(this.#topsOf(block), block));
    for (const [node, source] of block.sources) this.#outputs.addPiece(dataOf(node), source);
    for (const node of block.applied.made) if (isText(node)) this.#outputs.addPiece(dataOf(node), "");
    if (block.kept.size > 0) this.#outputs.add(container, text, block.original);
  }

  /** The nodes of a block's run in the order of the page, including those made for it. @param {Block} block */
  #topsOf(block) {
    const tops = new Set([...block.allNodes(), ...(block.applied?.made ?? [])]);
    return [...tops].filter((node) => parentOf(node) === block.container).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  /** @param {AttributeText} item @param {TranslatedBlock} translation */
  #writeAttribute(item, { text }) {
    if (text === item.text) return;
    this.#outputs.add(item.element, text, item.text);
    this.remember(item.element);
    this.#page.originals.writeAttribute(item.element, item.name, text);
  }

  /** Translates something now or later. @param {Item} item @param {Priority} priority */
  #want(item, priority) {
    item.priority = priority;
    const known = this.#queue.known(item);
    if (known) this.#transition(item, STATE.ready, known);
    else this.#transition(item, STATE.waiting);
  }

  /** Whether the page still has what was to be translated. @param {Item} item */
  #isThere(item) {
    if (isConnected(item.anchor)) return true;
    // If it comes back, it is found again.
    this.#transition(item, STATE.gone);
    return false;
  }

  /** @param {Item} item @param {Priority} priority */
  #setPriority(item, priority) {
    this.#seen = true;
    if (item.priority !== priority) {
      item.priority = priority;
      this.#queue.put(item, priority);
    }
    this.#slices.wake();
  }

  /** @param {Item[]} items @param {unknown} error null if they are in a language that nobody here translates */
  #leave(items, error) {
    for (const item of items) this.#transition(item, STATE.left);
    if (error !== null) this.#report(error);
    this.#slices.wake();
  }

  // --- Finding -------------------------------------------------------------------------------------------------

  /** @param {Node} node */
  #isKnown(node) {
    const block = this.#registry.blockOf(node);
    if (!block) return false;
    if (block.nodes[0] !== node || isIntact(block, this.#page.originals)) return true;
    this.giveUp(block);
    return false;
  }

  /** @param {Block} block */
  #addBlock(block) {
    if (block.field && isTypedInto(block.field, block.original)) return;
    if (isStyledAsEditor(block.container)) return;
    if (this.#follower.isContested(block) || this.#isOwnOutput(block)) return;
    this.#registry.addBlock(block);
    const isTitle = isElement(block.container) && nameOf(block.container) === "title";
    this.#want(block, isTitle ? PRIORITY.visible : PRIORITY.rest);
  }

  /**
   * Puts a copy of translated text back to the original, so that it is read, translated and put back like the text it was copied from.
   * @param {Block} block
   */
  #isOwnOutput(block) {
    if (!this.#follower.hasArrived(block.nodes[0] ?? block.container)) return false;
    const copy = this.#outputs.findCopy(nodesWithEnds(block));
    const output = this.#outputs.find(block.container, block.text);
    const [only] = block.sources.keys();
    if (copy) {
      this.#changes.ignoring(() => this.#undoCopy(copy.nodes, copy.copied));
    } else if (output && only && block.sources.size === 1 && block.kept.size === 0) {
      this.adoptText(only, output.original);
    } else {
      const pieces = this.#outputs.findPieces(block.sources);
      if (pieces.length === 0) return false;
      for (const [text, original] of pieces) this.adoptText(text, original);
    }
    this.#dirty.add(block.container);
    return true;
  }

  /** @param {Node[]} nodes @param {import("./outputs.js").Copied[]} copied */
  #undoCopy(nodes, copied) {
    const { originals } = this.#page;
    /** @type {Map<Node, {node: Node, place: number}[]>} */
    const children = new Map();
    nodes.forEach((node, i) => {
      const { original = null, place = -1 } = copied[i] ?? {};
      if (place < 0) return detach(node);
      if (isText(node) && original !== null) {
        originals.adoptText(node, original);
        originals.restoreText(node);
      }
      const parent = /** @type {Node} */ (parentOf(node));
      const siblings = children.get(parent) ?? [];
      children.set(parent, siblings);
      siblings.push({ node, place });
    });
    for (const [parent, siblings] of children) {
      arrange(
        parent,
        siblings.sort((a, b) => a.place - b.place).map(({ node }) => node),
      );
    }
  }

  /** Adopts a text that the page has made from ours. @param {Text} text @param {string} original */
  adoptText(text, original) {
    this.#outputs.addPiece(dataOf(text), original);
    this.#page.originals.adoptText(text, original);
    this.remember(text);
  }

  /** @param {AttributeText} attribute */
  addAttribute(attribute) {
    const output = this.#outputs.find(attribute.element, attribute.text);
    if (output && this.#follower.hasArrived(attribute.element)) {
      this.#page.originals.adoptAttribute(attribute.element, attribute.name, output.original);
      this.remember(attribute.element);
      return;
    }
    const before = this.#registry.attributeOf(attribute.element, attribute.name);
    if (before?.text === attribute.text) return;
    if (before) this.#transition(before, STATE.gone);
    this.#registry.addAttribute(attribute);
    this.#want(attribute, PRIORITY.rest);
  }

  /** @param {Element} element @param {State} inside */
  meet(element, inside) {
    // A copy that the page has made along with the text that it stands under.
    if (isBeside(element) && !this.#registry.blockOf(element)) return this.#changes.ignoring(() => detach(element));
    this.#follower.meet(element);
    this.#trees.meet(element, inside);
  }

  /** Forgets a text, so that it can be read again. @param {Item} item */
  giveUp(item) {
    // One change of the page may concern a text by several of its nodes.
    if (item.state !== STATE.gone) this.#transition(item, STATE.gone);
  }

  /** Looks at a node's own runs again soon; the more restless it is, the later. @param {Node} container */
  look(container) {
    this.#calm.changed(container);
  }

  /** Looks at everything inside of a node, unless it was looked at before. @param {Node} root @param {State} state */
  scan(root, state) {
    this.#scans.push(scan(root, state, this.#finder));
  }

  /** Looks at the whole document again. */
  scanAll() {
    const { document } = this.#page;
    this.scan(document, stateOfRoot(document));
  }

  /** @param {Element} element */
  restoreAttributes(element) {
    this.#changes.ignoring(() => this.#page.originals.restoreAttributes(element));
  }

  /** The browser shows a page again from its back/forward cache. @param {PageTransitionEvent} event */
  #cameBack = ({ persisted }) => {
    if (persisted) this.#slices.wakeAnew();
  };

  // --- Work in slices ------------------------------------------------------------------------------------------

  /** @param {() => boolean} hasTime @returns {boolean} whether there is more to do */
  #work(hasTime) {
    if (this.#changes.takeOverflow()) {
      this.#changes.take();
      this.scanAll();
    }
    for (const record of this.#changes.take()) this.#safely(() => this.#follower.read(record));
    if (this.#pendingResults() > 0) {
      // Alternating between writing and reading would make the browser compute its layout each time.
      this.#changes.ignoring(() => this.#writeResults(hasTime));
    } else {
      this.#search(hasTime);
    }
    // What is in view must not wait for the start of the page just because the browser says later what is in view.
    const knows = this.#seen || this.#page.document.hidden || performance.now() - this.#begun > FIRST_LOOK_MS;
    this.#queue.pump(knows ? PRIORITY.rest : PRIORITY.visible);
    const more = !this.#changes.isEmpty || this.#scans.length > 0 || this.#dirty.size > 0 || this.#pendingResults() > 0;
    this.tell(!more);
    return (!more && this.#trees.search(hasTime)) || more;
  }

  /** @param {() => boolean} hasTime */
  #search(hasTime) {
    for (const container of this.#dirty) {
      if (!hasTime()) return;
      this.#dirty.delete(container);
      if (!isConnected(container)) continue;
      const state = stateOf(container, this.#finder.reading);
      if (state) this.#scans.push(scan(container, state, this.#finder, true));
    }
    while (this.#scans.length > 0 && hasTime()) {
      const newest = this.#scans[this.#scans.length - 1];
      let done = true;
      this.#safely(() => (done = newest?.next().done ?? true));
      if (done) this.#scans.splice(this.#scans.lastIndexOf(/** @type {any} */ (newest)), 1);
    }
    if (this.#scans.length === 0 && this.#dirty.size === 0) this.#endOrphans();
  }

  /** What is no longer translated, and is not to be translated again, gets its original back. */
  #endOrphans() {
    if (this.#orphans.size === 0) return;
    this.#changes.ignoring(() => {
      for (const block of this.#orphans) {
        // It changes so fast that it is read later: until then it stays as it is.
        if (this.#calm.awaits(block.container)) continue;
        this.#orphans.delete(block);
        // It stays as it is until the whole page is put back.
        if (isInEditor(block.container)) continue;
        for (const text of block.sources.keys()) {
          if (!this.#registry.blockOf(text)) this.#page.originals.restoreText(text);
        }
      }
    });
  }

  #pendingResults() {
    let sum = 0;
    for (const { size } of this.#results) sum += size;
    return sum;
  }

  /** @param {() => boolean} hasTime */
  #writeResults(hasTime) {
    for (const results of [...this.#results].reverse()) {
      for (const [item, translation] of results) {
        this.#safely(() => this.#write(item, translation));
        results.delete(item);
        if (!hasTime()) return;
      }
    }
  }

  /** @param {Item} item @param {TranslatedBlock} translation */
  #write(item, translation) {
    if (isInEditor(item.anchor)) return this.#transition(item, STATE.left);
    if (item instanceof Block && !isIntact(item, this.#page.originals)) {
      this.giveUp(item);
      this.look(item.container);
      return;
    }
    try {
      this.#transition(item, STATE.shown, translation);
    } catch (error) {
      this.#transition(item, STATE.left);
      throw error;
    }
  }

  /** @param {Written} what */
  remember(what) {
    this.#written.add(what);
  }

  /** Declares the language and direction that a block is in now. @param {Block} block */
  #setLanguage({ container, languageFrom }) {
    const { translator, originals } = this.#page;
    const { sourceLanguage, targetLanguage } = translator;
    if (this.#page.options.show === "both") {
      // Only what has no room for both is replaced then; around it the page is still in its own language.
      if (!isElement(container)) return;
      this.remember(container);
      originals.writeAttribute(container, "lang", targetLanguage);
      if (directionOf(targetLanguage) !== directionOf(sourceLanguage)) {
        originals.writeAttribute(container, "dir", directionOf(targetLanguage));
      }
      return;
    }
    const page = typeOf(container) === DOCUMENT ? container : documentOf(container);
    const root = page && rootElementOf(page);
    let speaker = languageFrom ?? root;
    if (speaker && isElement(container) && this.#speaksForMany(speaker)) speaker = container;
    if (speaker && attributeOf(speaker, "lang") !== targetLanguage) {
      this.remember(speaker);
      originals.writeAttribute(speaker, "lang", targetLanguage);
    }
    const direction = directionOf(targetLanguage);
    if (direction === directionOf(sourceLanguage)) return;
    let at = /** @type {Node | null} */ (container);
    while (at && (!isElement(at) || attributeOf(at, "dir") === null) && at !== languageFrom) at = composedParentOf(at);
    const leader = at && isElement(at) ? at : root;
    if (!leader || attributeOf(leader, "dir") === direction || attributeOf(leader, "dir") === "auto") return;
    this.remember(leader);
    originals.writeAttribute(leader, "dir", direction);
  }

  /** Whether an element declares the language for more than can be laid out in one piece. @param {Element} speaker */
  #speaksForMany(speaker) {
    let many = this.#forMany.get(speaker);
    if (many === undefined) this.#forMany.set(speaker, (many = [...findAll(speaker, "*")].length > MOST_SPOKEN_FOR));
    return many;
  }

  // --- Telling -------------------------------------------------------------------------------------------------

  /** How many texts are not translated yet, and how many of those are in view. */
  #outstanding() {
    return {
      waiting: this.#queue.count() + this.#pendingResults(),
      visible: this.#queue.count(PRIORITY.visible) + (this.#results[PRIORITY.visible]?.size ?? 0),
    };
  }

  #isIdle() {
    const searching = this.#scans.length > 0 || this.#dirty.size > 0 || !this.#changes.isEmpty;
    return !searching && this.#queue.count() === 0 && this.#pendingResults() === 0;
  }

  #endCompletion() {
    this.#completion = null;
    this.#complete();
  }

  /** @param {boolean} now */
  tell(now) {
    const time = performance.now();
    if (!now && time - this.#lastTold < PROGRESS_INTERVAL_MS) return;
    this.#lastTold = time;
    const { waiting, visible } = this.#outstanding();
    const idle = this.#isIdle();
    if (idle) this.#endCompletion();
    const told = `${this.#writes} ${waiting} ${visible} ${idle}`;
    if (told === this.#told) return;
    const [, before = "0", visibleBefore = "0"] = this.#told.split(" ");
    this.#told = told;
    this.#page.dispatch("progress");
    if (this.#ended) return;
    const sawSomething = this.#seen && this.#writes > 0;
    if (visible === 0 && sawSomething && (visibleBefore !== "0" || before === "0")) this.#page.dispatch("visible");
    if (idle) this.#page.dispatch("complete");
  }

  /** @param {unknown} error */
  #report(error) {
    this.#page.dispatch("error", { error, message: error instanceof Error ? error.message : String(error) });
  }

  /** Nothing that goes wrong with one node may stop the rest, or reach the page. @param {() => void} action */
  #safely(action) {
    try {
      action();
    } catch (error) {
      this.#report(error);
    }
  }

  /** @param {number} milliseconds @param {() => void} action */
  #after(milliseconds, action) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#ended) return;
      this.#safely(action);
      this.#slices.wake();
    }, milliseconds);
    this.#timers.add(timer);
  }
}
