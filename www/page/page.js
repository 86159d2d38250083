/**
 * The translation of a live page.
 */
import { Applied, Originals, isIntact, sendOriginals } from "./apply.js";
import { AttributeText, Block, scan } from "./blocks.js";
import { Changes } from "./changes.js";
import {
  attributeOf,
  composedParentOf,
  documentIn,
  documentOf,
  following,
  isConnected,
  isElement,
  isText,
  nameOf,
  parentOf,
  rootElementOf,
  shadowRootOf,
  typeOf,
  DOCUMENT,
} from "./dom.js";
import { OriginalOnHover } from "./hover.js";
import { PRIORITY, Queue } from "./queue.js";
import {
  DECIDING_ATTRIBUTES,
  OPEN,
  isInline,
  isOpen,
  primaryLanguage,
  stateOf,
  translatableAttributes,
} from "./rules.js";
import { Slices } from "./slices.js";
import { Visibility } from "./visibility.js";

/** @typedef {import("./queue.js").Priority} Priority */
/** @typedef {import("./apply.js").TranslatedBlock} TranslatedBlock */
/** @typedef {import("./blocks.js").Finder} Finder */
/** @typedef {import("./rules.js").State} State */
/** @typedef {Block | AttributeText} Item */

/**
 * What translates: a `Translator`, or what passes its requests on.
 * @typedef {object} BlockTranslator
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(text: string, nodes: Uint32Array, priority: number) => import("../connection.js").BlockRequest} translateBlock
 */

/**
 * @typedef {object} PageOptions
 * @property {Document} [document] the document to translate; this one unless given
 * @property {boolean} [frames] whether to translate frames that the page may look into; true unless given
 * @property {boolean} [originalOnHover] whether a paragraph's original is shown while the pointer rests on it or the
 *   focus is in it; true unless given
 */

/**
 * How far it is.
 * @typedef {object} Progress
 * @property {number} translated texts that are translated
 * @property {number} waiting texts that are known of and not translated yet
 * @property {number} visible those of them that are in view
 */

/** A node that changes more often than this in a row is waited for. */
const CHANGES_AT_ONCE = 4;

/** Changes that follow within so much time are in a row. */
const CHANGES_WITHIN_MS = 500;

/** A restless node is looked at so rarely at most. */
const LONGEST_WAIT_MS = 2000;

/** Who writes the original back so often shall have it. */
const MOST_CONTESTS = 3;

/** When to look whether elements without a definition have got one, and with it a shadow tree. */
const LOOK_AGAIN_MS = [100, 400, 1500, 5000];

/** So long after the start the browser should have said what is in view. */
const FIRST_LOOK_MS = 250;

/** Progress is told at most so often. */
const PROGRESS_INTERVAL_MS = 50;

/** Languages written from right to left. */
const RIGHT_TO_LEFT = new Set("ar arc ckb dv fa ha he khw ks ps sd ug ur yi".split(" "));

/** @param {string} tag */
const directionOf = (tag) => (RIGHT_TO_LEFT.has(primaryLanguage(tag)) ? "rtl" : "ltr");

/**
 * What a listener is told.
 * @typedef {object} PageEvent
 * @property {"progress" | "visible" | "complete" | "error"} type
 * @property {PageTranslation} target
 * @property {string} [message] of `error`
 * @property {unknown} [error] of `error`
 */

/**
 * A page in translation. Events: `progress`, `visible` (what is in view is translated), `complete` (everything is, until the page
 * changes), `error` (the page stays as it is then).
 */
export class PageTranslation {
  /** Firefox's scripts beside a page cannot extend `EventTarget`. @type {Map<string, Set<(event: PageEvent) => void>>} */
  #listeners = new Map();
  #translator;
  #document;
  #options;
  #originals = new Originals();
  /** @type {Queue<Item>} */
  #queue;
  /** @type {Visibility<Item>} */
  #visibility;
  #changes;
  #slices;
  #hover;
  /** Blocks by each of their nodes. @type {WeakMap<Node, Block>} */
  #blocks = new WeakMap();
  /** @type {WeakMap<Element, Map<string, AttributeText>>} */
  #attributes = new WeakMap();
  /** Everything that was written, as long as the page holds it. @type {Set<WeakRef<Block | Element>>} */
  #written = new Set();
  #forgotten = new FinalizationRegistry((/** @type {WeakRef<Block | Element>} */ ref) => this.#written.delete(ref));
  /** @type {WeakMap<Block | Element, WeakRef<Block | Element>>} */
  #refs = new WeakMap();
  /** Nodes whose children were looked at one by one. @type {WeakSet<Node>} */
  #containers = new WeakSet();
  /** Documents and shadow trees. @type {WeakSet<Node>} */
  #roots = new WeakSet();
  /** Those whose forms are listened to. @type {Set<WeakRef<Node>>} */
  #listening = new Set();
  /** Frames whose loading is listened to. @type {Set<WeakRef<Element>>} */
  #frames = new Set();
  /** @type {WeakSet<Element>} */
  #knownFrames = new WeakSet();
  /** Scans under way, the newest last. @type {Generator<void, void, void>[]} */
  #scans = [];
  /** Nodes whose own runs are to be looked at again. @type {Set<Node>} */
  #dirty = new Set();
  /**
   * How often in a row nodes have changed, when last, and whether they will be looked at anyway.
   * @type {WeakMap<Node, {count: number, last: number, awaited: boolean}>}
   */
  #restless = new WeakMap();
  /** @type {WeakMap<Node, Map<string, number>>} */
  #contested = new WeakMap();
  /** Blocks that were given up while the page still shows their translation. @type {Block[]} */
  #orphans = [];
  /** Elements that were left alone for their class. @type {WeakSet<Element>} */
  #excluded = new WeakSet();
  /** Elements that may yet get a shadow tree. @type {Set<WeakRef<Element>>} */
  #undefined = new Set();
  /** Translations that wait to be written, by priority. @type {[Item, TranslatedBlock][][]} */
  #results = [[], [], []];
  /** @type {Finder} */
  #finder;
  /** @type {Set<ReturnType<typeof setTimeout>>} */
  #timers = new Set();
  #translated = 0;
  #lastTold = 0;
  #told = "";
  #seen = false;
  #begun = 0;
  #running = false;
  /** @type {PromiseWithResolvers<void> | null} */
  #completion = null;

  /**
   * @param {BlockTranslator} translator
   * @param {PageOptions} [options]
   */
  constructor(translator, options = {}) {
    this.#translator = translator;
    this.#options = options;
    this.#document = options.document ?? document;
    this.#queue = new Queue(
      translator,
      (item, translation) => this.#receive(item, translation),
      (items, error) => this.#fail(items, error),
      (item) => this.#isThere(item),
    );
    this.#visibility = new Visibility((item, priority) => this.#setPriority(item, priority));
    this.#changes = new Changes(() => this.#slices.wake());
    this.#slices = new Slices(
      (hasTime) => this.#work(hasTime),
      (error) => this.#report(error),
    );
    this.#finder = {
      reading: {
        source: primaryLanguage(translator.sourceLanguage),
        attribute: (element, name) => this.#originals.attributeOf(element, name),
      },
      sourceOf: (text) => this.#originals.textOf(text),
      isKnown: (node) => this.#isKnown(node),
      isScanned: (node) => this.#containers.has(node),
      onerror: (error) => this.#report(error),
      onblock: (block) => this.#addBlock(block),
      onattribute: (attribute) => this.#addAttribute(attribute),
      onelement: (element, inside) => this.#meet(element, inside),
      oncontainer: (container) => this.#containers.add(container),
    };
    this.#hover = (options.originalOnHover ?? true) ? new OriginalOnHover(this, this.#changes) : null;
    this.resume();
  }

  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  addEventListener(type, listener) {
    const listeners = this.#listeners.get(type);
    if (listeners) listeners.add(listener);
    else this.#listeners.set(type, new Set([listener]));
  }

  /** @param {PageEvent["type"]} type @param {(event: PageEvent) => void} listener */
  removeEventListener(type, listener) {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Whether the page is being translated or is translated; false after `restore()`. */
  get isActive() {
    return this.#running;
  }

  /** The language of the page's own text. */
  get sourceLanguage() {
    return this.#translator.sourceLanguage;
  }

  /** @returns {Progress} */
  get progress() {
    return {
      translated: this.#translated,
      waiting: this.#queue.count() + this.#pendingResults(),
      visible: this.#queue.count(PRIORITY.visible) + (this.#results[PRIORITY.visible]?.length ?? 0),
    };
  }

  /** Resolves when everything is translated that the page holds now. @returns {Promise<void>} */
  get complete() {
    if (!this.#running || this.#isIdle()) return Promise.resolve();
    if (!this.#completion) {
      /** @type {() => void} */
      let resolve = () => {};
      const promise = /** @type {Promise<void>} */ (new Promise((done) => (resolve = () => done())));
      this.#completion = { promise, resolve, reject: () => {} };
    }
    return this.#completion.promise;
  }

  /** Translates the page again after `restore()`. */
  resume() {
    if (this.#running) return;
    this.#running = true;
    this.#seen = false;
    this.#begun = performance.now();
    this.#after(FIRST_LOOK_MS + 1, () => {});
    this.#told = "";
    this.#addRoot(this.#document, OPEN);
    this.#hover?.start(this.#document);
    this.#slices.wake();
  }

  /** Puts the whole page back as it was, as far as it has not changed itself. */
  restore() {
    if (!this.#running) return;
    this.#running = false;
    this.#hover?.stop();
    this.#changes.stop();
    this.#visibility.stop();
    this.#queue.clear();
    this.#scans = [];
    this.#dirty.clear();
    this.#orphans = [];
    this.#results = [[], [], []];
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    // What the timers would have looked at.
    this.#restless = new WeakMap();
    this.#undefined.clear();
    for (const ref of this.#frames) ref.deref()?.removeEventListener("load", this.#frameLoaded);
    this.#frames.clear();
    for (const ref of this.#listening) ref.deref()?.removeEventListener("formdata", this.#formSent, true);
    this.#listening.clear();
    for (const ref of this.#written) {
      const what = ref.deref();
      this.#safely(() => {
        if (what instanceof Block) what.applied?.undo();
        else if (what) this.#originals.restoreAttributes(what);
        // What an earlier translation of it has left in the page.
        if (what instanceof Block) for (const node of what.nodes) if (isText(node)) this.#originals.restoreText(node);
      });
    }
    this.#written.clear();
    this.#blocks = new WeakMap();
    this.#attributes = new WeakMap();
    this.#containers = new WeakSet();
    this.#roots = new WeakSet();
    this.#knownFrames = new WeakSet();
    this.#contested = new WeakMap();
    this.#translated = 0;
    this.#visibility = new Visibility((item, priority) => this.#setPriority(item, priority));
    this.#completion?.resolve();
    this.#completion = null;
    this.#tell(true);
  }

  /**
   * The paragraph that a node belongs to, if it is one that was translated.
   * @param {Node} node
   * @returns {Block | null}
   */
  blockAt(node) {
    for (let at = /** @type {Node | null} */ (node); at; at = composedParentOf(at)) {
      const block = this.#blocks.get(at) ?? this.#blockIn(at);
      if (block) return block;
      if (this.#containers.has(at)) return null;
    }
    return null;
  }

  /** The original text of the paragraph at a node; null if it was not translated. @param {Node} node */
  originalOf(node) {
    const block = this.blockAt(node);
    return block?.applied || block?.showsOriginal ? block.text : null;
  }

  /** Shows the original of the paragraph at a node, or its translation again. @param {Node} node @param {boolean} original */
  showOriginal(node, original = true) {
    const block = this.blockAt(node);
    if (!block || block.showsOriginal === original) return;
    block.showsOriginal = original;
    if (original) {
      this.#changes.ignoring(() => block.applied?.undo());
      block.applied = null;
    } else {
      this.#want(block, PRIORITY.visible);
    }
  }

  // --- Finding -------------------------------------------------------------------------------------------------

  /** @param {Node} at */
  #blockIn(at) {
    if (!this.#containers.has(at)) return undefined;
    for (let child = at.firstChild; child; child = child.nextSibling) {
      const block = this.#blocks.get(child);
      if (block) return block;
    }
    return undefined;
  }

  /** @param {Node} root @param {State} state */
  #addRoot(root, state) {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#changes.observe(root);
    root.addEventListener("formdata", this.#formSent, true);
    this.#listening.add(new WeakRef(root));
    this.#scans.push(scan(root, state, this.#finder));
    this.#slices.wake();
  }

  /** @param {Node} node */
  #isKnown(node) {
    const block = this.#blocks.get(node);
    if (!block) return false;
    if (block.nodes[0] !== node || isIntact(block, this.#originals)) return true;
    this.#giveUp(block);
    return false;
  }

  /** @param {Block} block */
  #addBlock(block) {
    if ((this.#contested.get(block.container)?.get(block.key) ?? 0) >= MOST_CONTESTS) return;
    for (const node of block.nodes) this.#blocks.set(node, block);
    const isTitle = isElement(block.container) && nameOf(block.container) === "title";
    this.#want(block, isTitle ? PRIORITY.visible : PRIORITY.rest);
  }

  /** @param {AttributeText} attribute */
  #addAttribute(attribute) {
    const { element, name } = attribute;
    let known = this.#attributes.get(element);
    if (!known) this.#attributes.set(element, (known = new Map()));
    const before = known.get(name);
    if (before?.text === attribute.text) return;
    if (before) this.#drop(before);
    known.set(name, attribute);
    this.#want(attribute, PRIORITY.rest);
  }

  /** Translates something now or later. @param {Item} item @param {Priority} priority */
  #want(item, priority) {
    item.priority = priority;
    const known = this.#queue.known(item);
    if (known) return this.#receive(item, known);
    this.#queue.put(item, item.priority);
    if (item.target && priority !== PRIORITY.visible) this.#visibility.watch(item.target, item);
  }

  /** Whether the page still has what was to be translated. @param {Item} item */
  #isThere(item) {
    if (isConnected(item instanceof Block ? item.container : item.element)) return true;
    if (item.target) this.#visibility.unwatch(item.target, item);
    // Should it come back, it is found anew.
    if (item instanceof Block) for (const node of item.nodes) this.#blocks.delete(node);
    else this.#attributes.get(item.element)?.delete(item.name);
    return false;
  }

  /** @param {Item} item */
  #drop(item) {
    this.#queue.drop(item);
    if (item.target) this.#visibility.unwatch(item.target, item);
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

  /** @param {Element} element @param {State} inside */
  #meet(element, inside) {
    const name = nameOf(element);
    if (isExcluded(element)) this.#excluded.add(element);
    const shadow = shadowRootOf(element);
    if (shadow) this.#addRoot(shadow, inside);
    else if (name.includes("-") && !this.#containers.has(element)) this.#awaitDefinition(element);
    if (name === "iframe" && (this.#options.frames ?? true)) this.#meetFrame(element, inside);
  }

  /** @param {Element} element */
  #awaitDefinition(element) {
    if (this.#undefined.size === 0) this.#lookForShadows(0);
    this.#undefined.add(new WeakRef(element));
  }

  /** Elements defined later get their shadow trees without a mutation. @param {number} round */
  #lookForShadows(round) {
    const pause = LOOK_AGAIN_MS[round];
    if (pause === undefined) return this.#undefined.clear();
    this.#after(pause, () => {
      for (const ref of this.#undefined) {
        const element = ref.deref();
        const shadow = element && shadowRootOf(element);
        if (!shadow && element) continue;
        this.#undefined.delete(ref);
        const state = element && stateOf(element, this.#finder.reading);
        if (shadow && state) this.#addRoot(shadow, state);
      }
      if (this.#undefined.size > 0) this.#lookForShadows(round + 1);
    });
  }

  /** @param {Element} frame @param {State} inside */
  #meetFrame(frame, inside) {
    if (!isOpen(inside)) return;
    if (!this.#knownFrames.has(frame)) {
      this.#knownFrames.add(frame);
      this.#frames.add(new WeakRef(frame));
      frame.addEventListener("load", this.#frameLoaded);
    }
    const content = documentIn(frame);
    if (content?.documentElement) this.#addRoot(content, OPEN);
  }

  /** @param {Event} event */
  #frameLoaded = ({ currentTarget }) => {
    this.#safely(() => {
      const frame = /** @type {Element} */ (currentTarget);
      const content = this.#running ? documentIn(frame) : null;
      if (content) this.#addRoot(content, OPEN);
    });
  };

  /** A form sends the names that its buttons had. @param {Event} event */
  #formSent = (event) => {
    this.#safely(() => sendOriginals(/** @type {FormDataEvent} */ (event), this.#originals));
  };

  // --- Work in slices ------------------------------------------------------------------------------------------

  /** @param {() => boolean} hasTime @returns {boolean} whether there is more to do */
  #work(hasTime) {
    if (!this.#running) return false;
    this.#readChanges(hasTime);
    if (this.#pendingResults() > 0) {
      // Writing and reading by turns would have the browser compute its layout each time.
      this.#changes.ignoring(() => this.#writeResults(hasTime));
    } else {
      this.#search(hasTime);
    }
    // What is in view shall not wait for the start of the page only because the browser says later what that is.
    const knows = this.#seen || this.#document.hidden || performance.now() - this.#begun > FIRST_LOOK_MS;
    this.#queue.pump(knows ? PRIORITY.rest : PRIORITY.visible);
    const more = !this.#changes.isEmpty || this.#scans.length > 0 || this.#dirty.size > 0 || this.#pendingResults() > 0;
    this.#tell(!more);
    return more;
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

  /** What is translated no more, and not to be translated anew, gets its original back. */
  #endOrphans() {
    if (this.#orphans.length === 0) return;
    const orphans = this.#orphans;
    this.#orphans = [];
    this.#changes.ignoring(() => {
      for (const block of orphans) {
        for (const node of block.nodes) {
          if (isText(node) && !this.#blocks.has(node)) this.#originals.restoreText(node);
        }
      }
    });
  }

  #pendingResults() {
    return this.#results.reduce((sum, results) => sum + results.length, 0);
  }

  // --- Writing -------------------------------------------------------------------------------------------------

  /** @param {Item} item @param {TranslatedBlock} translation */
  #receive(item, translation) {
    if (!this.#running) return;
    this.#results[item.priority]?.push([item, translation]);
    this.#slices.wake();
  }

  /** @param {() => boolean} hasTime */
  #writeResults(hasTime) {
    for (const results of [...this.#results].reverse()) {
      let done = 0;
      for (const [item, translation] of results) {
        this.#safely(() => this.#write(item, translation));
        done++;
        if (!hasTime()) break;
      }
      results.splice(0, done);
      if (!hasTime()) return;
    }
  }

  /** @param {Item} item @param {TranslatedBlock} translation */
  #write(item, translation) {
    if (item.target) this.#visibility.unwatch(item.target, item);
    if (item instanceof AttributeText) {
      if (this.#attributes.get(item.element)?.get(item.name) !== item) return;
      this.#translated++;
      if (translation.text === item.text) return;
      this.#remember(item.element);
      this.#originals.writeAttribute(item.element, item.name, translation.text);
      return;
    }
    const first = item.nodes[0];
    if (!first || this.#blocks.get(first) !== item || item.applied || item.showsOriginal) return;
    if (!isIntact(item, this.#originals)) {
      this.#giveUp(item);
      this.#look(item.container);
      return;
    }
    this.#translated++;
    const same = translation.text === item.text;
    item.applied = new Applied(item, translation, this.#originals);
    for (const made of item.applied.made) this.#blocks.set(made, item);
    this.#remember(item);
    if (!same) this.#setLanguage(item);
  }

  /** @param {Block | Element} what */
  #remember(what) {
    let ref = this.#refs.get(what);
    if (!ref) {
      ref = new WeakRef(what);
      this.#refs.set(what, ref);
      this.#forgotten.register(what, ref);
    }
    this.#written.add(ref);
  }

  /** Says in which language and direction a block is now. @param {Block} block */
  #setLanguage({ container, languageFrom }) {
    const { sourceLanguage, targetLanguage } = this.#translator;
    const page = typeOf(container) === DOCUMENT ? container : documentOf(container);
    const root = page && rootElementOf(page);
    const speaker = languageFrom ?? root;
    if (speaker && attributeOf(speaker, "lang") !== targetLanguage) {
      this.#remember(speaker);
      this.#originals.writeAttribute(speaker, "lang", targetLanguage);
    }
    const direction = directionOf(targetLanguage);
    if (direction === directionOf(sourceLanguage)) return;
    let at = /** @type {Node | null} */ (container);
    while (at && (!isElement(at) || attributeOf(at, "dir") === null) && at !== languageFrom) at = composedParentOf(at);
    const leader = at && isElement(at) ? at : root;
    if (!leader || attributeOf(leader, "dir") === direction || attributeOf(leader, "dir") === "auto") return;
    this.#remember(leader);
    this.#originals.writeAttribute(leader, "dir", direction);
  }

  // --- Changes of the page -------------------------------------------------------------------------------------

  /** @param {() => boolean} hasTime */
  #readChanges(hasTime) {
    if (this.#changes.takeOverflow()) {
      this.#changes.take();
      this.#lookInside(this.#document);
      return;
    }
    const records = this.#changes.take();
    for (const record of records) this.#safely(() => this.#readChange(record));
    void hasTime;
  }

  /** @param {MutationRecord} record */
  #readChange({ type, target, addedNodes, removedNodes, attributeName, previousSibling, nextSibling }) {
    if (type === "attributes") return this.#attributeChanged(/** @type {Element} */ (target), attributeName ?? "");
    if (type === "characterData") return this.#textChanged(target);
    for (const node of removedNodes) {
      const block = this.#blocks.get(node);
      if (block) this.#giveUp(block);
    }
    const around = this.#blocks.get(target);
    if (around) this.#giveUp(around);
    let own = removedNodes.length > 0 && around !== undefined;
    for (const node of addedNodes) {
      if (!isConnected(node) || parentOf(node) !== target) continue;
      const inLine = isText(node) || (isElement(node) && isInline(node));
      own ||= inLine;
      if (isElement(node)) this.#containers.delete(node);
      if (isElement(node) && !inLine) this.#lookInside(node);
      if (!inLine) continue;
      // The run that it stands in has grown.
      for (const neighbour of [previousSibling, nextSibling]) {
        const block = neighbour && this.#blocks.get(neighbour);
        if (block) this.#giveUp(block, true);
      }
    }
    if (own || removedNodes.length > 0) this.#look(around?.container ?? this.#containerOf(target));
  }

  /** @param {Node} text */
  #textChanged(text) {
    const block = this.#blocks.get(text);
    if (!block) {
      const parent = parentOf(text);
      if (parent) this.#look(this.#containerOf(parent));
      return;
    }
    if (block.applied && isIntact(block, this.#originals)) this.#contest(block);
    this.#giveUp(block);
    this.#look(block.container);
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
    const state = stateOf(element, this.#finder.reading);
    const attribute = this.#attributes.get(element)?.get(name);
    if (attribute) {
      this.#drop(attribute);
      this.#attributes.get(element)?.delete(name);
    }
    if (!state || !isOpen(state) || !translatableAttributes(element).includes(name)) return;
    this.#addAttribute(new AttributeText(element, name, attributeOf(element, name) ?? ""));
  }

  /** The node whose children the run of a node's children are. @param {Node} node */
  #containerOf(node) {
    let at = node;
    for (let up = composedParentOf(at); up && !this.#containers.has(at); up = composedParentOf(at)) at = up;
    return at;
  }

  /**
   * Forgets a block, so that its nodes can be read anew.
   * @param {Block} block
   * @param {boolean} [look]
   */
  #giveUp(block, look = false) {
    this.#drop(block);
    for (const node of block.nodes) if (this.#blocks.get(node) === block) this.#blocks.delete(node);
    const { applied } = block;
    block.applied = null;
    if (applied?.isPlain) this.#orphans.push(block);
    else if (applied) this.#changes.ignoring(() => applied.undo());
    if (look) this.#look(block.container);
  }

  /** Looks at a node's own runs again, soon; the later the more restless it is. @param {Node} container */
  #look(container) {
    const now = performance.now();
    const known = this.#restless.get(container);
    const count = known && now - known.last < CHANGES_WITHIN_MS + waitAfter(known.count) ? known.count + 1 : 0;
    const wait = waitAfter(count);
    const awaited = known?.awaited ?? false;
    this.#restless.set(container, { count, last: now, awaited: awaited || wait > 0 });
    if (wait === 0) {
      this.#dirty.add(container);
    } else if (!awaited) {
      // One look for all changes until then: a node that changes with every frame would else be looked at as often.
      this.#after(wait, () => {
        const latest = this.#restless.get(container);
        if (latest) latest.awaited = false;
        this.#dirty.add(container);
      });
    }
  }

  /** Looks at everything inside of a node anew. @param {Node} root */
  #lookInside(root) {
    const above = this.blockAt(root);
    if (above) this.#giveUp(above, true);
    // Blocks that nothing has happened to are known and stay.
    const state = isElement(root) || typeOf(root) === DOCUMENT ? stateOf(root, this.#finder.reading) : OPEN;
    if (!state || !isOpen(state)) this.#restoreInside(root);
    if (state) this.#scans.push(scan(root, state, this.#finder));
    const parent = parentOf(root);
    if (parent && isElement(root) && isInline(root)) this.#look(this.#containerOf(parent));
    else if (isElement(root) && state && isOpen(state)) {
      for (const name of translatableAttributes(root)) {
        const text = this.#originals.attributeOf(root, name) ?? "";
        this.#addAttribute(new AttributeText(root, name, text));
      }
      this.#meet(root, state);
    }
  }

  /** @param {Node} root */
  #restoreInside(root) {
    for (let node = /** @type {Node | null} */ (root); node; node = following(node, root, false)) {
      const block = this.#blocks.get(node);
      if (block) this.#giveUp(block);
      if (!isElement(node)) continue;
      const element = node;
      for (const attribute of this.#attributes.get(element)?.values() ?? []) this.#drop(attribute);
      this.#attributes.delete(element);
      this.#changes.ignoring(() => this.#originals.restoreAttributes(element));
    }
  }

  // --- Telling -------------------------------------------------------------------------------------------------

  #isIdle() {
    const searching = this.#scans.length > 0 || this.#dirty.size > 0 || !this.#changes.isEmpty;
    return !searching && this.#queue.count() === 0 && this.#pendingResults() === 0;
  }

  /** @param {boolean} now */
  #tell(now) {
    const time = performance.now();
    if (!now && time - this.#lastTold < PROGRESS_INTERVAL_MS) return;
    this.#lastTold = time;
    const { translated, waiting, visible } = this.progress;
    const idle = this.#isIdle();
    if (idle) {
      this.#completion?.resolve();
      this.#completion = null;
    }
    const told = `${translated} ${waiting} ${visible} ${idle}`;
    if (told === this.#told) return;
    const [, before = "0", visibleBefore = "0"] = this.#told.split(" ");
    this.#told = told;
    this.#dispatch("progress");
    if (!this.#running) return;
    const sawSomething = this.#seen && translated > 0;
    if (visible === 0 && sawSomething && (visibleBefore !== "0" || before === "0")) this.#dispatch("visible");
    if (!idle) return;
    this.#dispatch("complete");
  }

  /** @param {Item[]} items @param {unknown} error */
  #fail(items, error) {
    for (const item of items) if (item.target) this.#visibility.unwatch(item.target, item);
    this.#report(error);
    this.#slices.wake();
  }

  /** @param {unknown} error */
  #report(error) {
    const message = error instanceof Error ? error.message : String(error);
    this.#dispatch("error", { error, message });
  }

  /** @param {PageEvent["type"]} type @param {{message?: string, error?: unknown}} [details] */
  #dispatch(type, details = {}) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        listener({ type, target: this, ...details });
      } catch (error) {
        // A fault of the listener is its own.
        console.error(error);
      }
    }
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
      if (!this.#running) return;
      this.#safely(action);
      this.#slices.wake();
    }, milliseconds);
    this.#timers.add(timer);
  }
}

/** How long to wait before looking again at what has changed so often in a row. @param {number} count */
function waitAfter(count) {
  return count < CHANGES_AT_ONCE ? 0 : Math.min(LONGEST_WAIT_MS, 50 * 2 ** (count - CHANGES_AT_ONCE));
}

/** @param {Element} element */
const isExcluded = (element) => attributeOf(element, "class")?.includes("notranslate") ?? false;
