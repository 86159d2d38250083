/**
 * Text that is spread over several nodes within a word: an initial before the rest of its word, letters each in an element of their own.
 * For the translation it is one text; what comes back is spread over the same nodes, which stay where they are.
 */

const BLANK = /^\s*$/;

/** A text counts as taken apart into letters if it has at least this many text nodes, and this share of them hold one letter each. */
const FEWEST_LETTERS = 4;
const SHARE = 0.6;

const INITIAL = /^[^\p{L}\p{N}]*\p{L}?\p{M}*$/u;
const GOES_ON = /^\p{L}/u;
const FIRST_WORD = /^\S+/;
const FIRST_LETTER = /^[^\p{L}\p{N}]*[\p{L}\p{N}]\p{M}*/u;

/** @type {Intl.Segmenter} */
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** @param {string} text */
const letters = (text) => [...graphemes.segment(text)].map(({ segment }) => segment);

/**
 * Whether the text nodes of a run are letters rather than words.
 * @param {string[]} texts
 */
export function areLetters(texts) {
  const full = texts.filter((text) => !BLANK.test(text));
  if (full.length < FEWEST_LETTERS) return false;
  return (
    full.filter((text) => text.trim().length <= 2 && letters(text.trim()).length === 1).length >= SHARE * full.length
  );
}

/**
 * Whether a text is an initial, with the quotation mark before it, and another continues its word.
 * @param {string} first
 * @param {string} rest
 */
export const isInitialOf = (first, rest) =>
  first !== "" && INITIAL.test(first) && /\p{L}/u.test(first) && GOES_ON.test(rest);

/** Whether a text is a single word, and another follows it. @param {string} first @param {string} rest */
export const isWordBefore = (first, rest) => /^\S+$/.test(first) && /^\s+\S/.test(rest);

/**
 * Spreads a translation over nodes as its original was.
 * @param {string[]} sources what stood in them
 * @param {string} translation
 * @returns {string[]} what is to stand in them
 */
export function spread(sources, translation) {
  if (sources.length < FEWEST_LETTERS) {
    const first =
      (/^\s/.test(sources[sources.length - 1] ?? "") ? FIRST_WORD : FIRST_LETTER).exec(translation)?.[0] ?? "";
    return [...sources.slice(2).map(() => first), first, translation.slice(first.length)];
  }
  /** Nodes of each word of the original. @type {number[][]} */
  const places = [];
  let inWord = false;
  sources.forEach((source, i) => {
    if (BLANK.test(source)) inWord = false;
    else if (inWord) places[places.length - 1]?.push(i);
    else {
      places.push([i]);
      inWord = true;
    }
  });
  const words = translation.trim().split(/\s+/);
  const last = places.length - 1;
  const spreadOut = sources.map(() => "");
  // Blanks between the words that are needed stay as they are.
  const used = Math.min(words.length, places.length);
  const end = places[used - 1]?.[0] ?? 0;
  sources.forEach((source, i) => {
    if (BLANK.test(source) && i < end) spreadOut[i] = source;
  });
  places.forEach((word, w) => {
    const own = w === last ? words.slice(w).join(" ") : (words[w] ?? "");
    const signs = letters(own);
    word.forEach((place, k) => {
      spreadOut[place] = k === word.length - 1 ? signs.slice(k).join("") : (signs[k] ?? "");
    });
  });
  return spreadOut;
}
