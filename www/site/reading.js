/**
 * What a reader can do with a translation: see which words belong together and which the model was unsure of, and choose other
 * words.
 */
import { announce } from "./announcement.js";
import { alignWords, continuations, sentenceOf, withSentence } from "./words.js";

/** @typedef {import("./live.js").Line} Line */
/** @typedef {import("./live.js").Known} Known */
/** @typedef {import("./words.js").Word} Word */
/** @typedef {import("../library/wanderwort.js").Translator} Translator */

/** Less likely words are marked. */
const UNSURE = 0.5;

/** Longer texts are not looked at closely: finding the word under the pointer would take too long. */
const LONGEST_SOURCE = 20_000;

/** How many code units of the rest of a sentence are shown with an alternative. */
const REST_SHOWN = 60;

/**
 * @typedef {object} Parts
 * @property {HTMLTextAreaElement} source
 * @property {HTMLElement} mirror lies under the source, with the same text in the same places
 * @property {HTMLElement} translation holds an element for each line
 * @property {HTMLElement} menu a popover
 */

/** @typedef {{line: number, word: Word}} Place */

export class Reading {
  #ui;
  #languages = { source: "en", target: "en" };
  /** @type {Line[]} */
  #lines = [];
  /** Words by line, made when first wanted. @type {(Word[] | undefined)[]} */
  #words = [];
  #marks = false;
  /** @type {Place | null} */
  #chosen = null;
  /** @type {AbortController} */
  #asking = new AbortController();
  /** Takes the word that is chosen in the menu. @type {(word: string | null) => void} */
  #answer = () => {};
  #translator;
  #on;

  /**
   * @param {Parts} ui
   * @param {() => Translator | null} translator
   * @param {{change: (source: string, before: Known, after: Known) => void, error: (error: unknown, of: Translator) => void}} on `change`:
   *   a line's translation was changed by the reader; `error`: a translator failed
   */
  constructor(ui, translator, on) {
    this.#ui = ui;
    this.#translator = translator;
    this.#on = on;
    // Where words cannot be lit up, the page still translates.
    if (!("highlights" in CSS)) return;
    const { source, mirror, translation, menu } = ui;
    source.addEventListener("scroll", () => (mirror.scrollTop = source.scrollTop));
    translation.addEventListener("pointermove", (event) => this.#light(this.#wordAt(event)));
    source.addEventListener("pointermove", (event) => this.#lightFromSource(event));
    for (const pane of [source, translation]) pane.addEventListener("pointerleave", () => this.#light(null));
    translation.addEventListener("click", (event) => {
      const place = this.#wordAt(event);
      // A reader who has selected something wants to copy it.
      if (place && getSelection()?.isCollapsed !== false) this.#offer(place);
    });
    translation.addEventListener("keydown", (event) => this.#key(event));
    translation.addEventListener("blur", ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && menu.contains(relatedTarget)) return;
      this.#closeMenu();
      this.#hold(null);
    });
    menu.addEventListener("keydown", (event) => this.#keyInMenu(event));
    menu.addEventListener("toggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "closed") this.#menuClosed();
    });
  }

  get #isMenuOpen() {
    return this.#ui.menu.matches(":popover-open");
  }

  #closeMenu() {
    if (this.#isMenuOpen) this.#ui.menu.hidePopover();
  }

  /** @param {{source: string, target: string}} languages */
  set languages(languages) {
    const { source, target } = this.#languages;
    if (source === languages.source && target === languages.target) return;
    this.#languages = languages;
    this.#words = [];
  }

  /** Whether words that the model was unsure of are marked. @param {boolean} marks */
  set marks(marks) {
    this.#marks = marks;
    this.#mark();
  }

  /**
   * The page shows other lines.
   * @param {Line[]} lines
   */
  show(lines) {
    const before = this.#lines;
    this.#words = lines.map((line, i) => (line.known === before[i]?.known ? this.#words[i] : undefined));
    this.#lines = lines;
    const chosen = this.#chosen;
    const isSameLine = chosen && lines[chosen.line]?.source === before[chosen.line]?.source;
    this.#chosen = isSameLine ? this.#placeAt(chosen.line, chosen.word.start) : null;
    // A last line break takes up a line only if something follows it.
    this.#ui.mirror.textContent = `${this.#ui.source.value}\u200b`;
    this.#light(null);
    this.#mark();
  }

  /** @param {number} i */
  #wordsOf(i) {
    const line = this.#lines[i];
    if (!line?.known) return [];
    return (this.#words[i] ??= alignWords(line.source, line.known, this.#languages));
  }

  /** The word at an offset in a line, or the next one. @param {number} line @param {number} offset @returns {Place | null} */
  #placeAt(line, offset) {
    const word = this.#wordsOf(line).find(({ end }) => end > offset);
    return word ? { line, word } : null;
  }

  /** @param {string} name @param {Range[]} ranges */
  #highlight(name, ranges) {
    if ("highlights" in CSS) CSS.highlights.set(name, new Highlight(...ranges));
  }

  /** A word's place on the page. @param {Place} place @returns {Range[]} */
  #targetRange({ line, word }) {
    const text = this.#ui.translation.children[line]?.firstChild;
    if (!text || word.end > (text.textContent?.length ?? 0)) return [];
    const range = new Range();
    range.setStart(text, word.start);
    range.setEnd(text, word.end);
    return [range];
  }

  /** Where a line begins in the source. @param {number} line */
  #lineStart(line) {
    let start = 0;
    for (const { source } of this.#lines.slice(0, line)) start += source.length + 1;
    return start;
  }

  /** @param {Place} place @returns {Range[]} */
  #sourceRanges({ line, word }) {
    const text = this.#ui.mirror.firstChild;
    if (!text) return [];
    const before = this.#lineStart(line);
    return word.sources.map(([start, end]) => {
      const range = new Range();
      range.setStart(text, before + start);
      range.setEnd(text, before + end);
      return range;
    });
  }

  /** Lights up a word and what it comes from. @param {Place | null} place */
  #light(place) {
    const shown = place ?? this.#chosen;
    this.#highlight("partner", shown ? [...this.#targetRange(shown), ...this.#sourceRanges(shown)] : []);
  }

  #mark() {
    /** @type {Range[]} */
    const unsure = [];
    if (this.#marks) {
      this.#lines.forEach((_, line) => {
        for (const word of this.#wordsOf(line)) {
          if (word.probability !== undefined && word.probability < UNSURE) {
            unsure.push(...this.#targetRange({ line, word }));
          }
        }
      });
    }
    this.#highlight("unsure", unsure);
    this.#ui.translation.dataset.unsure = String(unsure.length);
  }

  /** The word of the translation under the pointer. @param {MouseEvent} event @returns {Place | null} */
  #wordAt({ clientX, clientY }) {
    const { children } = this.#ui.translation;
    for (let line = 0; line < children.length; line++) {
      const box = children[line]?.getBoundingClientRect();
      if (!box || clientY < box.top || clientY > box.bottom) continue;
      const word = this.#wordsOf(line).find((word) => covers(this.#targetRange({ line, word }), clientX, clientY));
      return word ? { line, word } : null;
    }
    return null;
  }

  /** @param {PointerEvent} event */
  #lightFromSource({ clientX, clientY }) {
    if (this.#ui.source.value.length > LONGEST_SOURCE) return;
    for (let line = 0; line < this.#lines.length; line++) {
      for (const word of this.#wordsOf(line)) {
        if (covers(this.#sourceRanges({ line, word }), clientX, clientY)) return this.#light({ line, word });
      }
    }
    this.#light(null);
  }

  // --- By the keyboard -----------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      this.#move(step);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && this.#chosen) {
      event.preventDefault();
      this.#offer(this.#chosen);
    } else if (event.key === "Escape" && !this.#isMenuOpen) this.#hold(null);
  }

  /** @param {number} step */
  #move(step) {
    const places = this.#lines.flatMap((_, line) => this.#wordsOf(line).map((word) => ({ line, word })));
    const at = places.findIndex(({ word }) => word === this.#chosen?.word);
    const next = places[at === -1 ? (step > 0 ? 0 : places.length - 1) : at + step];
    if (!next) return;
    this.#closeMenu();
    this.#choose(next);
  }

  /** Keeps a word lit up, as the place where the reader is. @param {Place | null} place */
  #hold(place) {
    this.#chosen = place;
    this.#light(place);
  }

  /** Moves the reader to a word, which is read out. @param {Place} place */
  #choose(place) {
    this.#hold(place);
    const { line, word } = place;
    announce(this.#lines[line]?.text.slice(word.start, word.end) ?? "", this.#languages.target);
  }

  // --- Other words ---------------------------------------------------------------------------------------------

  /** Asks for other translations of a word and shows them. @param {Place} place */
  async #offer(place) {
    const line = this.#lines[place.line];
    const known = line?.known;
    const sentence = known && sentenceOf(known, place.word);
    const translator = this.#translator();
    if (!line || !known || !sentence || !translator) return;
    this.#choose(place);
    this.#asking.abort();
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const { target } = this.#languages;
    const source = line.source.slice(...sentence.source);
    const prefix = known.text.slice(sentence.target[0], place.word.start).trimEnd();
    const current = known.text.slice(place.word.start, place.word.end);
    try {
      const { candidates } = await translator.translateFrom(source, prefix, {
        alternatives: true,
        signal,
        priority: 1,
      });
      // The reader has gone elsewhere, and a menu would take the focus away from there.
      if (this.#chosen?.word !== place.word) return;
      const chosen = await this.#ask(place, continuations(candidates, prefix, target, current));
      if (chosen === null || this.#lines[place.line]?.known !== known) return;
      const other = await translator.translateFrom(source, prefix + chosen, { signal, priority: 1 });
      if (this.#lines[place.line]?.known !== known) return;
      this.#on.change(line.source, known, withSentence(known, sentence, other));
      announce(other.text, target);
    } catch (error) {
      if (!signal.aborted) this.#on.error(error, translator);
    }
  }

  /**
   * @param {Place} place
   * @param {{word: string, rest: string}[]} others
   * @returns {Promise<string | null>} null if the reader wants none of them
   */
  #ask(place, others) {
    const { menu } = this.#ui;
    this.#answer(null);
    if (others.length > 0) this.#fillMenu(others);
    else this.#sayNothing("The model suggests no other words here.");
    menu.showPopover();
    const box = this.#targetRange(place)[0]?.getBoundingClientRect();
    if (box) {
      menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
      menu.style.top = `${Math.max(8, Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8))}px`;
    }
    menu.querySelector("button")?.focus();
    return new Promise((resolve) => (this.#answer = resolve));
  }

  /** @param {{word: string, rest: string}[]} others */
  #fillMenu(others) {
    const { menu } = this.#ui;
    const items = others.map(({ word, rest }) => {
      const item = document.createElement("button");
      item.type = "button";
      item.setAttribute("role", "menuitem");
      item.lang = this.#languages.target;
      const strong = document.createElement("strong");
      strong.textContent = word.trim();
      const shown = rest.length > REST_SHOWN ? `${rest.slice(0, REST_SHOWN)}…` : rest;
      item.append(strong, shown);
      item.addEventListener("click", () => {
        this.#answer(word);
        menu.hidePopover();
      });
      return item;
    });
    menu.setAttribute("role", "menu");
    menu.replaceChildren(...items);
  }

  /** Fills the menu with a sentence instead, which takes no focus and is therefore announced. @param {string} sentence */
  #sayNothing(sentence) {
    const { menu } = this.#ui;
    const paragraph = document.createElement("p");
    paragraph.textContent = sentence;
    menu.setAttribute("role", "note");
    menu.replaceChildren(paragraph);
    announce(sentence);
  }

  /** @param {KeyboardEvent} event */
  #keyInMenu(event) {
    const items = Array.from(this.#ui.menu.querySelectorAll("button"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = items.findIndex((item) => item === document.activeElement);
    items[(at + step + items.length) % items.length]?.focus();
  }

  /** The menu is gone: the reader goes on reading, unless they closed it by going elsewhere. */
  #menuClosed() {
    const { menu, translation } = this.#ui;
    this.#answer(null);
    const focused = document.activeElement;
    if (focused === document.body || menu.contains(focused)) translation.focus();
    if (document.activeElement !== translation) this.#hold(null);
  }
}

/** Whether a point lies in one of the boxes of ranges. @param {Range[]} ranges @param {number} x @param {number} y */
function covers(ranges, x, y) {
  return ranges.some((range) =>
    Array.from(range.getClientRects()).some(
      (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
    ),
  );
}
