/**
 * Words per second in real browsers, on one thread: `node benches/browser.mjs [--source FILE] [--lines N] [--rounds N]
 * [--browsers chromium,firefox] [--variants relaxed-simd,simd128] [--threads N] [--beam N]
 * [--json]`.
 *
 * Each round visits every browser and module in turn, so that a busy machine slows all alike; the table has the best
 * round of each. Words are the source's, separated by white space; time is measured from the first request to the last
 * answer, so it includes the way to the worker and back.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BROWSERS, launch } from "../tests/browser/browsers.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    source: { type: "string", default: fileURLToPath(new URL("data/flores-dev.en", import.meta.url)) },
    lines: { type: "string", default: "300" },
    rounds: { type: "string", default: "3" },
    browsers: { type: "string", default: BROWSERS.join() },
    variants: { type: "string", default: "relaxed-simd,simd128" },
    threads: { type: "string", default: "1" },
    beam: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const lines = readFileSync(values.source, "utf8").trimEnd().split("\n").slice(0, Number(values.lines));

/** Sentences that are translated one by one, to time one alone. */
const ALONE = 100;

/**
 * @typedef {object} Figures
 * @property {string} browser
 * @property {string} variant
 * @property {number} wordsPerSecond
 * @property {number} medianMs of a sentence alone
 * @property {number} p95Ms
 * @property {number} loadMs from the first request for the model to the first possible translation
 * @property {number} megabytes of the engine's memory, model included
 */

/**
 * @param {import("puppeteer-core").Page} page
 * @param {string} variant
 * @returns {Promise<Omit<Figures, "browser" | "variant">>}
 */
function measure(page, variant) {
  return page.evaluate(
    async (variant, threads, beam, lines, alone) => {
      const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
      const opened = performance.now();
      const pair = { sourceLanguage: "en", targetLanguage: "de" };
      const translator = await Translator.create({ ...pair, variant, threads, beam });
      const loadMs = performance.now() - opened;
      await Promise.all(lines.slice(0, 30).map((line) => translator.translate(line)));
      const start = performance.now();
      await Promise.all(lines.map((line) => translator.translate(line)));
      const seconds = (performance.now() - start) / 1000;
      /** @type {number[]} */
      const times = [];
      for (const line of lines.slice(0, alone)) {
        const start = performance.now();
        await translator.translate(line);
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      const words = lines.reduce((sum, line) => sum + line.split(/\s+/).filter(Boolean).length, 0);
      const { memoryBytes } = translator.info;
      translator.destroy();
      return {
        wordsPerSecond: words / seconds,
        medianMs: times[Math.floor(times.length / 2)] ?? 0,
        p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
        loadMs,
        megabytes: memoryBytes / 1e6,
      };
    },
    variant,
    Number(values.threads),
    values.beam === undefined ? undefined : Number(values.beam),
    lines,
    ALONE,
  );
}

const server = await serve();
/** @type {Map<string, Figures>} */
const best = new Map();
for (let round = 0; round < Number(values.rounds); round++) {
  for (const browser of /** @type {import("../tests/browser/browsers.mjs").BrowserName[]} */ (
    values.browsers.split(",")
  )) {
    const instance = await launch(browser);
    try {
      for (const variant of values.variants.split(",")) {
        if (process.stderr.isTTY) process.stderr.write(`round ${round + 1}: ${browser}, ${variant} …\r`);
        const page = await instance.newPage();
        await page.goto(`${server.url}icon.svg`);
        const figures = { browser, variant, ...(await measure(page, variant)) };
        await page.close();
        const key = `${browser} ${variant}`;
        const known = best.get(key);
        if (!known || known.wordsPerSecond < figures.wordsPerSecond) best.set(key, figures);
      }
    } finally {
      await instance.close();
    }
  }
}
await server.close();

if (values.json) {
  console.log(JSON.stringify([...best.values()], null, 2));
} else {
  console.log(
    `${lines.length} lines of ${values.source}, ${values.threads} thread(s), best of ${values.rounds} rounds\n`,
  );
  console.log("| browser | module | words/s | ms a sentence, alone: median | 95 % | load ms | memory MB |");
  console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
  for (const f of best.values()) {
    const cells = [
      f.browser,
      f.variant,
      Math.round(f.wordsPerSecond).toLocaleString("en"),
      f.medianMs.toFixed(1),
      f.p95Ms.toFixed(1),
      Math.round(f.loadMs),
      f.megabytes.toFixed(0),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
