/**
 * A translation that follows a text while it is edited: line by line, only what changed, and what is being edited first.
 */

/** @typedef {import("../library/wanderwort.js").Translator} Translator */
/** @typedef {import("../library/wanderwort.js").DetailedTranslation} DetailedTranslation */

/** What is known of a line's translation. @typedef {Pick<DetailedTranslation, "text" | "sentences" | "tokens">} Known */

/**
 * @typedef {object} Line
 * @property {string} text the translation, or the one before the last edit while the new one is being made
 * @property {boolean} current whether the translation belongs to the text as it is now
 * @property {string} source the line that is translated
 * @property {Known | null} known where its words come from, if it is current
 */

/** @typedef {{words: number, milliseconds: number}} Effort what was translated since everything was last done, and how long the engine worked */

/** Translations of lines kept for when the lines come again: after an undo, or when a paragraph is moved. */
const MOST_CACHED = 5000;

export class LiveTranslation {
  /** @type {Translator | null} */
  #translator = null;
  /** @type {string[]} */
  #source = [];
  /** What is shown for each line. @type {string[]} */
  #shown = [];
  /** Most recently used last. @type {Map<string, Known>} */
  #cache = new Map();
  #scores = false;
  /** Requests under way by line. @type {Map<string, AbortController>} */
  #pending = new Map();
  #onchange;
  #onerror;
  /** The engine's working time when the last burst of requests began. */
  #busyBefore = 0;
  #busy = 0;
  #words = 0;

  /**
   * @param {(lines: Line[], effort: Effort | null) => void} onchange called whenever there is something new to show;
   *   with the effort once nothing is pending
   * @param {(error: unknown) => void} onerror
   */
  constructor(onchange, onerror) {
    this.#onchange = onchange;
    this.#onerror = onerror;
  }

  /**
   * Continues with another translator, or waits for one.
   * @param {Translator | null} translator
   */
  use(translator) {
    this.#abort(() => true);
    this.#translator = translator;
    this.#cache.clear();
    this.#busyBefore = this.#busy = this.#words = 0;
    this.#request(0);
    this.#tell();
  }

  /**
   * Whether translations are to say how sure the model was of each word.
   * @param {boolean} wanted
   */
  set scores(wanted) {
    const isNew = wanted && !this.#scores;
    this.#scores = wanted;
    if (!isNew) return;
    // What is under way was asked for without.
    this.#abort(() => true);
    for (const [line, { tokens }] of this.#cache) {
      if (tokens.length > 0 && tokens.every((token) => token.logProbability === undefined)) this.#cache.delete(line);
    }
    this.#request(0);
  }

  /**
   * Replaces the known translation of a line with another.
   * @param {string} source
   * @param {Known} other
   */
  replace(source, other) {
    if (!this.#cache.has(source)) return;
    this.#cache.set(source, other);
    this.#tell();
  }

  /** Whether every line's translation is current. */
  get isCurrent() {
    return this.#source.every((line) => this.#known(line) !== undefined);
  }

  /**
   * @param {string} text
   * @param {number} caret where it is edited, in UTF-16 code units
   */
  update(text, caret) {
    const source = text.split("\n");
    this.#shown = carryOver(this.#source, source, this.#shown);
    this.#source = source;
    const wanted = new Set(source);
    this.#abort((line) => !wanted.has(line));
    this.#request(text.slice(0, caret).split("\n").length - 1);
    this.#tell();
  }

  /** @param {(line: string) => boolean} which */
  #abort(which) {
    for (const [line, controller] of this.#pending) {
      if (!which(line)) continue;
      this.#pending.delete(line);
      controller.abort();
    }
  }

  /** @param {string} line @returns {Known | undefined} */
  #known(line) {
    return line.trim() === "" ? { text: line, sentences: [], tokens: [] } : this.#cache.get(line);
  }

  /** Asks for all lines that are missing, those nearest to `edited` first. @param {number} edited */
  #request(edited) {
    const translator = this.#translator;
    if (!translator) return;
    this.#source.forEach((line, i) => {
      if (this.#known(line) !== undefined || this.#pending.has(line)) return;
      const controller = new AbortController();
      this.#pending.set(line, controller);
      const options = { signal: controller.signal, priority: -Math.abs(i - edited), scores: this.#scores };
      translator.translateDetailed(line, options).then(
        ({ text, sentences, tokens, busy }) => {
          if (this.#pending.get(line) !== controller) return;
          this.#pending.delete(line);
          this.#busy = busy;
          this.#words += countWords(line);
          this.#remember(line, { text, sentences, tokens });
          this.#tell();
        },
        (error) => {
          if (this.#pending.get(line) !== controller) return;
          this.#pending.delete(line);
          this.#onerror(error);
        },
      );
    });
  }

  /** @param {string} line @param {Known} translation */
  #remember(line, translation) {
    this.#cache.set(line, translation);
    if (this.#cache.size <= MOST_CACHED) return;
    const shown = new Set(this.#source);
    for (const old of this.#cache.keys()) {
      if (this.#cache.size <= MOST_CACHED) break;
      if (!shown.has(old)) this.#cache.delete(old);
    }
  }

  #tell() {
    const lines = this.#source.map((line, i) => {
      const known = this.#known(line);
      if (known) this.#shown[i] = known.text;
      return { text: this.#shown[i] ?? "", current: known !== undefined, source: line, known: known ?? null };
    });
    let effort = null;
    if (this.#pending.size === 0 && this.#words > 0) {
      effort = { words: this.#words, milliseconds: this.#busy - this.#busyBefore };
      this.#busyBefore = this.#busy;
      this.#words = 0;
    }
    this.#onchange(lines, effort);
  }
}

/**
 * What to show for each line until its translation arrives: for an unchanged line, what it had; for a line in the place of
 * another, what that one had.
 *
 * @param {string[]} before
 * @param {string[]} after
 * @param {string[]} shown for the lines before
 * @returns {string[]} for the lines after
 */
function carryOver(before, after, shown) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const middle = after.length - start - end;
  const old = shown.slice(start, before.length - end);
  return [
    ...shown.slice(0, start),
    ...Array.from({ length: middle }, (_, i) => old[i] ?? ""),
    ...shown.slice(before.length - end, before.length),
  ];
}

/** @param {string} text */
export function countWords(text) {
  return text.match(/\S+/g)?.length ?? 0;
}
