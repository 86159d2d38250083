/**
 * Blocks with inline markup through the library.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";

/** No node. */
const NONE = 0xffffffff;

/** @typedef {import("puppeteer-core").Page} Page */

/**
 * @param {Page} page
 * @param {string} text
 * @param {number[]} nodes
 */
const translateBlock = (page, text, nodes) =>
  page.evaluate(
    async (text, nodes) => {
      const { text: translation, places } = await translator.translateBlock(text, Uint32Array.from(nodes)).result;
      return { translation: /** @type {string} */ (translation), places: /** @type {number[]} */ (Array.from(places)) };
    },
    text,
    nodes,
  );

/** The text of each node. @param {{translation: string, places: number[]}} result */
function pieces({ translation, places }) {
  /** @type {[number, string][]} */
  const found = [];
  for (let i = 0; i < places.length; i += 4) {
    found.push([places[i] ?? 0, translation.slice(places[i + 2], places[i + 3])]);
  }
  return found;
}

inEveryBrowser("blocks", ({ withPage }) => {
  test("put elements on the words that translate theirs", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      await createTranslator(page);
      const text = "I bought a red car in the city.";
      const result = await translateBlock(page, text, [NONE, 2, 0, 9, NONE, 0, 9, 18, 1, 2, 9, 18, NONE, 2, 18, 31]);
      const found = pieces(result);
      assert.equal(found.find(([node]) => node === 1)?.[1], "ein rotes Auto");
      const texts = found.filter(([node]) => node !== 1).map(([, piece]) => piece);
      assert.equal(texts.join(""), result.translation, "text nodes tile the translation");
      assert.equal(result.translation, await page.evaluate((text) => translator.translate(text), text));
      assert.deepEqual(errors, []);
    }));

  test("count in UTF-16 code units, on both sides", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const text = "🎉 We have a house. 🏡";
      const house = text.indexOf("a house");
      const nodes = [
        NONE,
        2,
        0,
        house,
        NONE,
        0,
        house,
        house + 7,
        1,
        2,
        house,
        house + 7,
        NONE,
        2,
        house + 7,
        text.length,
      ];
      const result = await translateBlock(page, text, nodes);
      const found = pieces(result);
      assert.equal(found.find(([node]) => node === 1)?.[1], "ein Haus", result.translation);
      assert.ok(result.translation.includes("🎉") && result.translation.includes("🏡"), result.translation);
    }));

  test("are refused one by one when they make no sense", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const outcome = await page.evaluate(async () => {
        const bad = translator.translateBlock("Good morning.", Uint32Array.from([5, 0, 0, 4])).result;
        const good = translator.translateBlock("Good morning.", Uint32Array.from([0xffffffff, 2, 0, 13])).result;
        const [first, second] = await Promise.allSettled([bad, good]);
        return [first.status, String(/** @type {any} */ (first).reason), /** @type {any} */ (second).value.text];
      });
      assert.equal(outcome[0], "rejected");
      assert.match(String(outcome[1]), /node 0: expected an earlier element as parent/);
      assert.match(String(outcome[2]), /Morgen/);
    }));

  test("are translated by priority, which can change, and can be cancelled", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page, { threads: 2 });
      const order = await page.evaluate(async () => {
        const sentence = "The old house stands by the river and nobody has lived in it for years. ";
        /** @type {string[]} */
        const order = [];
        /** @param {string} name @param {number} priority */
        const submit = (name, priority) => {
          const request = translator.translateBlock(sentence.repeat(40) + name, new Uint32Array(), priority);
          request.result.then(
            () => order.push(name),
            (/** @type {Error} */ error) => order.push(`${name}: ${error.name}`),
          );
          return request;
        };
        const requests = ["one", "two", "three", "four"].map((name) => submit(name, 0));
        requests[3].setPriority(5);
        requests[1].cancel();
        submit("five", 9);
        await Promise.allSettled([requests[0].result, requests[2].result, requests[3].result]);
        return order;
      });
      assert.equal(order[0], "two: AbortError", "cancelled at once");
      assert.deepEqual(order.slice(1).sort(), ["five", "four", "one", "three"]);
      assert.ok(order.indexOf("five") < order.indexOf("three"), `${order}`);
      assert.ok(order.indexOf("four") < order.indexOf("three"), `${order}`);
    }));
});
