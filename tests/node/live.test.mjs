/**
 * The translation that follows a text while it is edited, with a translator that answers when the test says so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveTranslation } from "../../www/site/live.js";

test("lines under way are asked for again once their words' probabilities are wanted", async () => {
  /** @type {{line: string, scores: boolean, signal: AbortSignal, answer: (translation: object) => void}[]} */
  const requests = [];
  const translator = /** @type {any} */ ({
    translateDetailed: (/** @type {string} */ line, /** @type {any} */ { scores, signal }) =>
      new Promise((answer) => requests.push({ line, scores, signal, answer })),
  });
  /** @type {import("../../www/site/live.js").Line[]} */
  let shown = [];
  const live = new LiveTranslation((lines) => (shown = lines), assert.fail);
  live.use(translator);
  live.update("one\ntwo", 0);
  live.scores = true;
  assert.deepEqual(
    requests.map(({ line, scores, signal }) => [line, scores, signal.aborted]),
    [
      ["one", false, true],
      ["two", false, true],
      ["one", true, false],
      ["two", true, false],
    ],
  );
  const token = (/** @type {number | undefined} */ logProbability) => ({
    source: [0, 3],
    target: [0, 4],
    logProbability,
  });
  // Answers without probabilities that arrive all the same are not shown.
  for (const { scores, answer } of requests) {
    answer({ text: "Wort", sentences: [], tokens: [token(scores ? -1 : undefined)], busy: 1 });
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    shown.map(({ known }) => known?.tokens.map(({ logProbability }) => logProbability)),
    [[-1], [-1]],
  );
  live.scores = true;
  assert.equal(requests.length, 4, "nothing is asked for twice");
});
