/**
 * Which languages a text is in, and how sure that is: what the n-gram library finds in pieces of the text, as probabilities.
 */

/**
 * What the library finds in a text: each language's score is s / (s + 25), where s is its mean score for an n-gram.
 * @typedef {{getScores: () => Record<string, number>, isReliable: () => boolean}} Found
 */

/** @typedef {{detectedLanguage: string, confidence: number}} LanguageDetectionResult */

const SCALE = 25;

/**
 * How fast a lead in the score becomes certainty as a text grows: the values with the least cross-entropy on 60 sentences in each of 45
 * languages, cut at several lengths.
 */
const SHARPNESS = 0.016;
const GROWTH = 0.75;
/** The library reads no more than about this many letters. */
const MOST_LETTERS = 300;

/** The probability of a language that the library does not know: where its own measure calls the result reliable, and elsewhere. */
const UNKNOWN_RELIABLE = 0.02;
const UNKNOWN_UNRELIABLE = 0.5;

/** The library reads the beginning of a text, about this many code units. */
const PIECE = 300;
/** Shorter lines are read together with the next one. */
const SHORTEST_PIECE = 24;
/** A long text is judged by this many pieces of it. */
const MOST_PIECES = 24;

/** Once the languages reported together reach this, the rest counts as noise. */
const ENOUGH = 0.99;

/** The precision of confidences. */
const STEPS = 65_536;

/**
 * Languages that the library does not distinguish from a related one, by its name for both.
 * @type {Record<string, string[]>}
 */
const RELATED = { no: ["nb", "nn"], ms: ["id"], hr: ["bs"] };

/** @param {string} text */
const countLetters = (text) => text.match(/\p{L}/gu)?.length ?? 0;

/**
 * Pieces of a text, none much longer than the library reads.
 * @param {string} text
 * @returns {string[]}
 */
function piecesOf(text) {
  /** @type {string[]} */
  const pieces = [];
  let piece = "";
  const end = () => {
    if (piece.trim() !== "") pieces.push(piece);
    piece = "";
  };
  for (const line of text.split(/[\n\r\u2028\u2029]+/)) {
    // Without blanks to cut at, a piece ends wherever it is long enough.
    for (const part of line.match(/[^]{1,300}(?=\s|$)|[^]{1,300}/g) ?? []) {
      if (piece.length + part.length > PIECE) end();
      piece += `${part}\n`;
      if (piece.length >= SHORTEST_PIECE) end();
    }
  }
  end();
  if (pieces.length <= MOST_PIECES) return pieces;
  return Array.from({ length: MOST_PIECES }, (_, i) => pieces[Math.floor((i * pieces.length) / MOST_PIECES)] ?? "");
}

/**
 * Probabilities of the languages of one piece; the remainder to 1 is that of others.
 * @param {Found} found
 * @param {number} letters
 * @returns {[language: string, probability: number][]}
 */
function probabilities(found, letters) {
  const scores = Object.entries(found.getScores()).map(
    ([language, score]) => /** @type {const} */ ([language, (SCALE * score) / (1 - score)]),
  );
  if (letters === 0 || scores.length === 0) return [];
  const best = Math.max(...scores.map(([, score]) => score));
  const sharpness = SHARPNESS * Math.min(letters, MOST_LETTERS) ** GROWTH;
  const weights = scores.map(
    ([language, score]) => /** @type {const} */ ([language, Math.exp(sharpness * (score - best))]),
  );
  let sum = 0;
  for (const [, weight] of weights) sum += weight;
  const share = (1 - (found.isReliable() ? UNKNOWN_RELIABLE : UNKNOWN_UNRELIABLE)) / sum;
  return weights.map(([language, weight]) => [language, weight * share]);
}

/**
 * The tag for what the library calls a language: the expected one of related languages.
 * @param {string} language
 * @param {string[]} expected
 */
function tagOf(language, expected) {
  const related = RELATED[language]?.filter((tag) => expected.includes(tag)) ?? [];
  return related.length === 1 && !expected.includes(language) && related[0]
    ? related[0]
    : (Intl.getCanonicalLocales(language)[0] ?? language);
}

/**
 * The languages of a text, the likeliest first, and last `und` with the remaining confidence, as the standard requires.
 *
 * @param {string} text
 * @param {(piece: string) => Found} find
 * @param {string[]} [expected] languages that are expected, as BCP 47 tags
 * @returns {LanguageDetectionResult[]}
 */
export function languagesOf(text, find, expected = []) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  let known = 0;
  let all = 0;
  for (const piece of piecesOf(text)) {
    const letters = countLetters(piece);
    all += letters;
    for (const [language, probability] of probabilities(find(piece), letters)) {
      sums.set(language, (sums.get(language) ?? 0) + probability * letters);
      known += probability * letters;
    }
  }
  const unknown = all === 0 ? 1 : 1 - known / all;
  /** @type {LanguageDetectionResult[]} */
  const results = [];
  let cumulative = 0;
  for (const [language, sum] of [...sums].sort((a, b) => b[1] - a[1])) {
    const confidence = Math.floor((sum / all) * STEPS) / STEPS;
    if (confidence === 0 || confidence < unknown || cumulative >= ENOUGH) break;
    results.push({ detectedLanguage: tagOf(language, expected), confidence });
    cumulative += confidence;
  }
  return [...results, { detectedLanguage: "und", confidence: 1 - cumulative }];
}
