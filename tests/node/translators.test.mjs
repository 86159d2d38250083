/**
 * The translators that the page keeps in memory.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Translator } from "../../www/library/wanderwort.js";
import { Translators } from "../../www/site/translators.js";

test("a translator is used again as long as it works", async (context) => {
  /** @type {{closed?: Error, info: object, models: object[], destroy: () => void}[]} */
  const made = [];
  context.mock.method(Translator, "create", async () => {
    const translator = { info: { memoryBytes: 1, worker: made.length }, models: [], destroy() {} };
    made.push(translator);
    return translator;
  });
  const translators = new Translators(100);
  const options = { sourceLanguage: "en", targetLanguage: "de" };
  const first = await translators.get(options);
  assert.equal(await translators.get(options), first);
  Object.assign(first, { closed: new Error("its worker failed") });
  const second = await translators.get(options);
  assert.notEqual(second, first);
  assert.equal(await translators.get(options), second);
  assert.equal(made.length, 2);
});
