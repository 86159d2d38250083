/**
 * Words of a translation and what they come from; a text in the page's address.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAddress, parseAddress } from "../../www/site/address.js";
import { alignWords, continuations, sentenceOf, withSentence } from "../../www/site/words.js";

/**
 * @param {[start: number, end: number]} source
 * @param {[start: number, end: number]} target
 * @param {number} [logProbability]
 */
const token = (source, target, logProbability) => ({ source, target, logProbability });

test("words take their pieces' sources and probabilities", () => {
  const known = {
    text: "Das Rathaus, ja.",
    sentences: [
      { source: /** @type {[number, number]} */ ([0, 20]), target: /** @type {[number, number]} */ ([0, 16]) },
    ],
    tokens: [
      token([0, 3], [0, 3], Math.log(0.9)),
      token([4, 8], [4, 7], Math.log(0.5)),
      token([9, 13], [7, 11], Math.log(0.5)),
      token([13, 14], [11, 12], Math.log(0.9)),
      token([15, 18], [13, 15]),
    ],
  };
  const words = alignWords("The town hall, yes.", known, { source: "en", target: "de" });
  assert.deepEqual(
    words.map(({ start, end }) => known.text.slice(start, end)),
    ["Das", "Rathaus", "ja"],
  );
  assert.deepEqual(words[1]?.sources, [
    [4, 8],
    [9, 13],
  ]);
  assert.ok(Math.abs((words[1]?.probability ?? 0) - 0.25) < 1e-9);
  assert.equal(words[2]?.probability, undefined);
  assert.equal(words[0] && sentenceOf(known, words[0]), known.sentences[0]);
});

test("a sentence is exchanged within its line", () => {
  /** @type {import("../../www/site/live.js").Known} */
  const line = {
    text: "Ja. Nein. Gut.",
    sentences: [
      { source: [0, 4], target: [0, 3] },
      { source: [5, 8], target: [4, 9] },
      { source: [9, 14], target: [10, 14] },
    ],
    tokens: [token([0, 3], [0, 2]), token([5, 7], [4, 8]), token([9, 13], [10, 13])],
  };
  const [, second] = line.sentences;
  assert.ok(second);
  const other = { text: "Keineswegs.", sentences: [], tokens: [token([0, 2], [0, 10])] };
  const changed = withSentence(line, second, other);
  assert.equal(changed.text, "Ja. Keineswegs. Gut.");
  const texts = (/** @type {{target: [number, number]}[]} */ ranges) =>
    ranges.map(({ target }) => changed.text.slice(...target));
  assert.deepEqual(texts(changed.sentences), ["Ja.", "Keineswegs.", "Gut."]);
  assert.deepEqual(texts(changed.tokens), ["Ja", "Keineswegs", "Gut"]);
  assert.deepEqual(
    changed.tokens.map(({ source }) => source),
    line.tokens.map(({ source }) => source),
  );
});

test("candidates go on with words, each once, and not with the one that stands there", () => {
  const candidates = [
    "Das alte Haus ist groß.",
    "Das alte Gebäude ist groß.",
    "Das alte Gebäude war groß.",
    "Das altes Haus.",
    "das Haus.",
    "Ein Haus.",
  ];
  assert.deepEqual(continuations(candidates, "Das alte", "de", "Haus"), [{ word: " Gebäude", rest: " ist groß." }]);
  assert.deepEqual(
    continuations(candidates, "", "de", "Das").map(({ word }) => word),
    ["Ein"],
  );
});

test("an address carries languages and text", () => {
  for (const text of ["", "Good morning.", "100 % of #1/2 & more?\nÄrger 🙂"]) {
    const shared = { source: "en", target: "zh-Hant", text };
    assert.deepEqual(parseAddress(formatAddress(shared)), shared);
  }
  assert.deepEqual(parseAddress("#en/de"), { source: "en", target: "de", text: "" });
  assert.deepEqual(parseAddress("#en/de/a%E4%B8"), { source: "en", target: "de", text: "" });
  for (const other of ["", "#", "#en", "#own-dialog", "#en de/x"]) assert.equal(parseAddress(other), null);
});
