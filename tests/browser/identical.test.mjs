/**
 * One translation for everybody: each module in each browser gives what the native engine gives, alone and in company.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";
import { sentences, translateNatively } from "./native.mjs";

const VARIANTS = ["simd128", "relaxed-simd", "simd128-threads", "relaxed-simd-threads"];

const lines = sentences();
const expected = translateNatively(lines);

/** The same in another order, the longest first, so that each has other neighbours. */
const reordered = lines.map((_, i) => i).sort((a, b) => (lines[b]?.length ?? 0) - (lines[a]?.length ?? 0));

inEveryBrowser("identical translations", ({ withPage }) => {
  for (const variant of VARIANTS) {
    test(variant, () =>
      withPage({ path: BLANK }, async ({ page }) => {
        const info = await createTranslator(page, { variant, threads: 2 });
        assert.equal(info.variant, variant, "the module that was asked for is in use");
        assert.equal(info.threads, variant.endsWith("-threads") ? 2 : 1);
        assert.equal(info.backend, variant.startsWith("relaxed-simd") ? "relaxed-simd" : "simd128");
        /** @param {string[]} lines */
        const together = (lines) =>
          page.evaluate(
            (lines) => Promise.all(lines.map((/** @type {string} */ line) => globalThis.translator.translate(line))),
            lines,
          );
        assert.deepEqual(await together(lines), expected, "all at once");
        const other = await together(reordered.map((i) => lines[i] ?? ""));
        assert.deepEqual(
          other,
          reordered.map((i) => expected[i]),
          "in another order",
        );
        const alone = await page.evaluate(
          async (lines) => {
            const results = [];
            for (const line of lines) results.push(await globalThis.translator.translate(line));
            return results;
          },
          lines.slice(0, 40),
        );
        assert.deepEqual(alone, expected.slice(0, 40), "one by one");
        const whole = await page.evaluate((text) => globalThis.translator.translate(text), lines.join("\n"));
        assert.equal(whole, expected.join("\n"), "as one text");
      }),
    );
  }

  test("a beam of the reader's own choice", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      for (const beam of [1, 3]) {
        const info = await createTranslator(page, { beam, threads: 1 });
        assert.equal(info.beam, beam);
        const found = await page.evaluate(
          (lines) => Promise.all(lines.map((/** @type {string} */ line) => globalThis.translator.translate(line))),
          lines,
        );
        assert.deepEqual(found, translateNatively(lines, undefined, ["--beam", String(beam)]), `a beam of ${beam}`);
      }
    }));
});
