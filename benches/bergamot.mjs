/**
 * `@browsermt/bergamot-translator` and the library's classes of the same names side by side, with the same Marian files, one worker
 * each: `node benches/bergamot.mjs [--model FOLDER] [--source FILE] [--lines N] [--rounds N] [--browsers chromium,firefox] [--memory] [--json]`. The model
 * is the tests' prototype unless given; `benches/stand_in.py` makes a larger one.
 *
 * Both translate in turns, each in its own page of one browser, so that a busy machine slows both alike; they take turns beginning a round. The
 * table has the median of the rounds, and the ratio is the median of the rounds' ratios. Words are the source's, separated by white space. A
 * round is all lines at once through a `BatchTranslator`, then some one after the other through a `LatencyOptimisedTranslator`; time is
 * measured from request to answer. `--memory` also reports what a Chromium page takes that translates by way of a second model of the
 * same size.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PAGES, bergamotServer } from "../tests/browser/bergamot.mjs";
import { processMegabytes } from "./processes.mjs";
import { BROWSERS, launch } from "../tests/browser/browsers.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    source: { type: "string", default: fileURLToPath(new URL("data/flores-dev.en", import.meta.url)) },
    lines: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    browsers: { type: "string", default: BROWSERS.join() },
    memory: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const lines = readFileSync(values.source, "utf8").trimEnd().split("\n").slice(0, Number(values.lines));
const words = lines.reduce((sum, line) => sum + line.split(/\s+/).filter(Boolean).length, 0);

/** Lines that are translated one by one. */
const ALONE = 30;

/** @typedef {keyof typeof PAGES} Side */

/** Of one side in one round. @typedef {{wordsPerSecond: number, aloneMs: number}} Figures */

/** @param {number[]} numbers */
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/**
 * Opens a side's page, where its translators are `batch` and `single` and have translated something already.
 * @param {import("puppeteer-core").Browser} browser
 * @param {string} url
 */
async function open(browser, url) {
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(async (lines) => {
    const specifier = "@browsermt/bergamot-translator/translator.js";
    const { BatchTranslator, LatencyOptimisedTranslator } = await import(/** @type {any} */ (specifier));
    const options = { registryUrl: "/registry.json", workers: 1 };
    const batch = new BatchTranslator(options);
    const single = new LatencyOptimisedTranslator(options);
    const request = (/** @type {string} */ text) => ({ from: "en", to: "de", text });
    await Promise.all(lines.map((line) => batch.translate(request(line))));
    for (const line of lines) await single.translate(request(line));
    Object.assign(globalThis, { batch, single, request });
  }, lines.slice(-ALONE));
  return page;
}

/** @param {import("puppeteer-core").Page} page @returns {Promise<Figures>} */
async function measure(page) {
  const [seconds, aloneMs] = await page.evaluate(
    async (lines, alone) => {
      const { batch, single, request } = /** @type {any} */ (globalThis);
      const start = performance.now();
      await Promise.all(lines.map((line) => batch.translate(request(line))));
      const half = performance.now();
      for (const line of lines.slice(0, alone)) await single.translate(request(line));
      return /** @type {const} */ ([(half - start) / 1000, (performance.now() - half) / Math.min(alone, lines.length)]);
    },
    lines,
    ALONE,
  );
  return { wordsPerSecond: words / seconds, aloneMs };
}

/** Through two models, with the one package's classes, with ours, and with the library's own. @typedef {Side | "library"} Way */

/**
 * Megabytes that a page, including its worker, takes beyond an empty one when it translates through two models, in a browser of its own.
 * @param {string} url the server's
 * @param {Way} way
 */
async function memory(url, way) {
  const browser = await launch("chromium");
  try {
    const page = await browser.newPage();
    await page.goto(url + (way === "library" ? "ours.html" : way));
    const before = await processMegabytes(browser);
    const translate = way === "library" ? withLibrary : withClasses;
    await page.evaluate(translate, lines.slice(-ALONE));
    return (await processMegabytes(browser)) - before;
  } finally {
    await browser.close();
  }
}

/** In the page. @param {string[]} lines */
async function withClasses(lines) {
  const specifier = "@browsermt/bergamot-translator/translator.js";
  const { BatchTranslator } = await import(/** @type {any} */ (specifier));
  const batch = new BatchTranslator({ registryUrl: "/registry.json", workers: 1 });
  await Promise.all(lines.map((line) => batch.translate({ from: "fr", to: "de", text: line })));
  Object.assign(globalThis, { batch });
}

/** In the page: its list has the same models as the registry. @param {string[]} lines */
async function withLibrary(lines) {
  const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
  /** @typedef {{name: string, size: number, expectedSha256Hash: string}} File */
  /** @type {Record<string, string>} */
  const roles = {
    ...{ model: "model", lex: "shortlist", vocab: "vocabulary" },
    ...{ srcvocab: "sourceVocabulary", trgvocab: "targetVocabulary" },
  };
  const registry = await (await fetch("/registry.json")).json();
  const model = (/** @type {string} */ pair) => ({
    ...{ name: pair, source: pair.slice(0, 2), target: pair.slice(2) },
    files: Object.entries(/** @type {Record<string, File>} */ (registry[pair]))
      .filter(([kind]) => kind in roles)
      .map(([kind, { name, size, expectedSha256Hash: sha256 }]) => {
        return { role: roles[kind], size, sha256, url: new URL(name, location.href).href };
      }),
  });
  const list = new Blob([JSON.stringify({ version: 1, models: [model("fren"), model("ende")] })]);
  const options = { sourceLanguage: "fr", targetLanguage: "de", models: URL.createObjectURL(list), threads: 1 };
  const translator = await Translator.create(options);
  await Promise.all(lines.map((line) => translator.translate(line)));
  Object.assign(globalThis, { translator });
}

const server = await serve(bergamotServer(values.model && resolve(values.model)));
const results = [];
for (const name of /** @type {import("../tests/browser/browsers.mjs").BrowserName[]} */ (values.browsers.split(","))) {
  const browser = await launch(name);
  try {
    /** @type {Map<Side, import("puppeteer-core").Page>} */
    const pages = new Map();
    /** @type {Record<Side, Figures[]>} */
    const figures = { "theirs.html": [], "ours.html": [] };
    const sides = /** @type {Side[]} */ (Object.keys(PAGES));
    for (const side of sides) pages.set(side, await open(browser, server.url + side));
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const page = pages.get(side);
        if (!page) continue;
        if (process.stderr.isTTY) process.stderr.write(`${name}, round ${round + 1}, ${side} …\r`);
        // Browsers slow down a page that is behind another.
        await page.bringToFront();
        figures[side].push(await measure(page));
      }
    }
    const { "theirs.html": theirs, "ours.html": ours } = figures;
    const summary = (/** @type {Figures[]} */ rounds) => ({
      wordsPerSecond: median(rounds.map(({ wordsPerSecond }) => wordsPerSecond)),
      aloneMs: median(rounds.map(({ aloneMs }) => aloneMs)),
    });
    const ratio = {
      wordsPerSecond: median(ours.map(({ wordsPerSecond }, i) => wordsPerSecond / (theirs[i]?.wordsPerSecond ?? NaN))),
      aloneMs: median(ours.map(({ aloneMs }, i) => (theirs[i]?.aloneMs ?? NaN) / aloneMs)),
    };
    /** @type {Record<Way, number> | undefined} */
    let megabytes;
    if (values.memory && name === "chromium") {
      megabytes = {
        "theirs.html": await memory(server.url, "theirs.html"),
        "ours.html": await memory(server.url, "ours.html"),
        library: await memory(server.url, "library"),
      };
    }
    results.push({ browser: name, theirs: summary(theirs), ours: summary(ours), ratio, megabytes });
  } finally {
    await browser.close();
  }
}
await server.close();

if (values.json) {
  console.log(JSON.stringify(results, null, 2));
} else {
  console.log(
    `${values.model ?? "the prototype"}, ${lines.length} lines of ${values.source}, one worker, median of ${values.rounds} rounds\n`,
  );
  console.log("| browser | | bergamot-translator 0.4.9 | wanderwort/bergamot | times as fast |");
  console.log("| --- | --- | ---: | ---: | ---: |");
  for (const { browser, theirs, ours, ratio, megabytes } of results) {
    const rate = (/** @type {Figures} */ { wordsPerSecond }) => Math.round(wordsPerSecond).toLocaleString("en");
    console.log(
      `| ${browser} | words/s, batches | ${rate(theirs)} | ${rate(ours)} | ${ratio.wordsPerSecond.toFixed(1)} |`,
    );
    console.log(
      `| ${browser} | ms a sentence, alone | ${theirs.aloneMs.toFixed(1)} | ${ours.aloneMs.toFixed(1)} | ${ratio.aloneMs.toFixed(1)} |`,
    );
    if (megabytes) {
      const { "theirs.html": first, "ours.html": second, library } = megabytes;
      for (const [what, size] of /** @type {const} */ ([
        ["", second],
        [", the library's own classes", library],
      ])) {
        const less = `${(first / size).toFixed(1)} times as small`;
        console.log(`| ${browser} | MB, two models${what} | ${first.toFixed(0)} | ${size.toFixed(0)} | ${less} |`);
      }
    }
  }
}
