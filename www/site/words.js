/**
 * The words of a translation: where each comes from, and how sure the model was of it.
 */

/** @typedef {import("./live.js").Known} Known */

/**
 * @typedef {object} Word
 * @property {number} start in the translation, in UTF-16 code units
 * @property {number} end
 * @property {[start: number, end: number][]} sources words of the source that it comes from
 * @property {number | undefined} probability product of its pieces' probabilities, if they are known
 */

/**
 * Where the words of a text stand.
 * @param {string} text
 * @param {string} language
 * @returns {[start: number, end: number][]}
 */
function wordRanges(text, language) {
  /** @type {[number, number][]} */
  const found = [];
  const words = new Intl.Segmenter(language, { granularity: "word" });
  for (const { index, segment, isWordLike } of words.segment(text)) {
    if (isWordLike) found.push([index, index + segment.length]);
  }
  return found;
}

/**
 * @param {string} source
 * @param {Known} translation of it
 * @param {{source: string, target: string}} languages
 * @returns {Word[]} in the order of the translation
 */
export function alignWords(source, { text, tokens }, languages) {
  const sources = wordRanges(source, languages.source);
  return wordRanges(text, languages.target).map(([start, end]) => {
    /** @type {number | undefined} */
    let sum;
    /** @type {Set<[number, number]>} */
    const from = new Set();
    for (const token of tokens) {
      if (token.target[0] >= end || token.target[1] <= start) continue;
      if (token.logProbability !== undefined) sum = (sum ?? 0) + token.logProbability;
      for (const word of sources) if (word[0] < token.source[1] && word[1] > token.source[0]) from.add(word);
    }
    return { start, end, sources: [...from], probability: sum === undefined ? undefined : Math.exp(sum) };
  });
}

/**
 * The sentence of a translation that a word belongs to.
 * @param {Known} translation
 * @param {Word} word
 */
export function sentenceOf({ sentences }, word) {
  return sentences.find(({ target }) => target[0] <= word.start && word.end <= target[1]);
}

/**
 * A line's translation with another translation of one of its sentences.
 * @param {Known} line
 * @param {Known["sentences"][number]} sentence one of the line's
 * @param {Known} other of that sentence alone
 * @returns {Known}
 */
export function withSentence(line, sentence, other) {
  const { source, target } = sentence;
  const longer = other.text.length - (target[1] - target[0]);
  /** @template {import("../library/wanderwort.js").AlignedRange} R @param {R} range @param {number} from @param {number} to @returns {R} */
  const moved = (range, from, to) => ({
    ...range,
    source: [range.source[0] + from, range.source[1] + from],
    target: [range.target[0] + to, range.target[1] + to],
  });
  /** @template {import("../library/wanderwort.js").AlignedRange} R @param {R[]} ranges @param {R[]} inner @returns {R[]} */
  const joined = (ranges, inner) => [
    ...ranges.filter((range) => range.target[1] <= target[0]),
    ...inner.map((range) => moved(range, source[0], target[0])),
    ...ranges.filter((range) => range.target[0] >= target[1]).map((range) => moved(range, 0, longer)),
  ];
  return {
    text: line.text.slice(0, target[0]) + other.text + line.text.slice(target[1]),
    sentences: joined(line.sentences, [{ source: [0, source[1] - source[0]], target: [0, other.text.length] }]),
    tokens: joined(line.tokens, other.tokens),
  };
}

/**
 * How the candidates for a sentence continue after a prefix: each once, by the word that comes next.
 * @param {string[]} candidates
 * @param {string} prefix
 * @param {string} language
 * @param {string} current the word that stands there now
 * @returns {{word: string, rest: string}[]} the next word, with what stands before it, and what follows
 */
export function continuations(candidates, prefix, language, current) {
  /** @type {{word: string, rest: string}[]} */
  const found = [];
  const seen = new Set();
  for (const candidate of candidates) {
    const rest = candidate.slice(prefix.length);
    // A candidate that lengthens the prefix's last word is not another translation of the word after it.
    if (!candidate.startsWith(prefix) || (prefix !== "" && /^[\p{L}\p{M}\p{N}]/u.test(rest))) continue;
    const [range] = wordRanges(rest, language);
    if (!range) continue;
    const word = rest.slice(0, range[1]);
    // A difference in case alone makes no other word.
    const key = rest.slice(...range).toLowerCase();
    if (key === current.toLowerCase() || seen.has(key)) continue;
    seen.add(key);
    found.push({ word, rest: rest.slice(range[1]) });
  }
  return found;
}
