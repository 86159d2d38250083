/**
 * Where one text ends and the next begins: how many of the texts that a person reads are found as such. No engine takes part.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { JUDGED } from "./judged.mjs";

/** The share of all texts that has to be found just as a person reads them. */
const SHARE = 0.97;

inEveryBrowser("judged texts", ({ name, withPage }) => {
  test("are found as a person reads them", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      const found = await page.evaluate(
        async (snippets) => {
          const { scan } = await import(/** @type {any} */ ("/page/blocks.js"));
          const { OPEN } = await import(/** @type {any} */ ("/page/states.js"));
          return snippets.map((html) => {
            const box = document.createElement("main");
            box.innerHTML = html;
            document.body.replaceChildren(box);
            /** @type {string[]} */
            const texts = [];
            const finder = {
              reading: {
                source: "en",
                judges: false,
                attribute: (/** @type {Element} */ element, /** @type {string} */ name) => element.getAttribute(name),
              },
              sourceOf: (/** @type {Text} */ text) => text.data,
              isKnown: () => false,
              isScanned: () => false,
              onerror: (/** @type {unknown} */ error) => texts.push(String(error)),
              onblock: (/** @type {{text: string}} */ { text }) => texts.push(text),
              onattribute() {},
              onelement() {},
              oncontainer() {},
            };
            for (const _ of scan(box, OPEN, finder)) void _;
            return texts.map((text) =>
              text
                .replace(/\{\d+\}/g, "{}")
                .replace(/[^\S\n]+/g, " ")
                .trim(),
            );
          });
        },
        JUDGED.map(([html]) => html),
      );
      let all = 0;
      let right = 0;
      for (const [i, [html, expected]] of JUDGED.entries()) {
        const texts = found[i] ?? [];
        all += expected.length;
        const hits = expected.filter((text) => texts.includes(text)).length;
        right += hits;
        if (hits < expected.length || texts.length !== expected.length)
          console.log(`  ${html}\n    ${texts.join(" | ")}`);
      }
      console.log(`  ${name}: ${right} of ${all} texts (${((100 * right) / all).toFixed(1)} %)`);
      assert.ok(all >= 150, `${all} texts`);
      assert.ok(right >= SHARE * all, `${right} of ${all}`);
      assert.deepEqual(errors, []);
    }));
});
