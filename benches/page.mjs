/**
 * A live page of 5,000 words in Chromium, translated by a warm engine: `node benches/page.mjs [--words N] [--rounds N]
 * [--threads 2,1] [--show both] [--list] [--json]`. With `--list` it is a page of 20,000 nodes instead, a list with a link and an emphasis in each
 * of its items.
 *
 * The page is an article of news lines (`benches/data`) with links, emphasis and lists; the engine has translated other lines
 * before. Time runs from the call of `translatePage`. A block of the main thread is one of its tasks, in processor time, from the browser's
 * trace; memory is what the page's process takes (proportional set size, Linux) before the engine is loaded, and after
 * the translation. The table has the median of the rounds.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { TIMEOUT_MS, launch } from "../tests/browser/browsers.mjs";
import { processMegabytes } from "./processes.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    words: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string", default: "2,1" },
    show: { type: "string", default: "translation" },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const lines = readFileSync(new URL("data/flores-dev.en", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
const WARM_LINES = 100;

/** @param {string} text */
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A line with a link and an emphasis in it. @param {string} line @param {number} i */
function marked(line, i) {
  const words = line.split(/\s+/).map(escape);
  const at = (i * 7) % Math.max(1, words.length - 4);
  words[at] = `<a href="#${i}">${words[at]}`;
  words[at + 2] = `${words[at + 2] ?? ""}</a>`;
  if (i % 3 === 0 && words.length > 8) {
    const other = (at + 5) % (words.length - 1);
    if (other > at + 2 || other < at) words[other] = `<em>${words[other]}</em>`;
  }
  return words.join(" ");
}

/** A page of 20,000 nodes. */
function longList() {
  const things = "house garden river street school market winter summer letter window".split(" ");
  const item = (/** @type {number} */ i) =>
    `<li><a href="#${i}">The ${things[i % 10]} and the ${things[Math.floor(i / 10) % 10]}</a> were <b>seen</b> in the year ${1000 + (i % 900)}.</li>`;
  const items = Array.from({ length: 2500 }, (_, i) => item(i)).join("");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A long list</title><ul>${items}</ul></html>`;
}

/** @param {number} wanted */
function article(wanted) {
  const source = lines.slice(WARM_LINES);
  let body = "";
  let words = 0;
  for (let i = 0; words < wanted && i < source.length;) {
    const size = 2 + (i % 3);
    const chunk = source.slice(i, i + size);
    const content = chunk.map((line, j) => marked(line, i + j));
    words += chunk.join(" ").split(/\s+/).length;
    if (i % 19 === 0) body += `<h2>${escape((source[i] ?? "").split(/\s+/).slice(0, 6).join(" "))}</h2>\n`;
    body +=
      i % 11 === 0
        ? `<ul>${content.map((line) => `<li>${line}</li>`).join("")}</ul>\n`
        : `<p>${content.join(" ")}</p>\n`;
    i += size;
  }
  const style = "body { max-width: 44em; margin: 2em auto; font: 17px/1.5 serif }";
  const title = "<title>An article of some length</title>";
  return `<!doctype html><html lang="en"><meta charset="utf-8">${title}<style>${style}</style><body>${body}</body></html>`;
}

/**
 * @typedef {object} Figures
 * @property {number} threads
 * @property {number} words
 * @property {number} texts
 * @property {number} visibleMs what is in view
 * @property {number} pageMs the whole page
 * @property {number} longestBlockMs of the main thread
 * @property {number} engineMegabytes memory of the engine, model included
 * @property {number} processBefore megabytes of the page's process without an engine
 * @property {number} processAfter megabytes after the translation
 */

/**
 * @param {import("puppeteer-core").Page} page
 * @param {number} threads
 * @param {string[]} warm
 */
const prepare = (page, threads, warm) =>
  page.evaluate(
    async (threads, warm) => {
      const { Translator, translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
      const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads });
      await Promise.all(warm.map((line) => translator.translate(line)));
      Object.assign(globalThis, { translator, translatePage });
    },
    threads,
    warm,
  );

/** @param {import("puppeteer-core").Page} page @param {string} show the translation, or both languages */
const measure = (page, show) =>
  page.evaluate(async (show) => {
    const { translator, translatePage } = Object(globalThis);
    const words = (document.body.textContent ?? "").split(/\s+/).filter(Boolean).length;
    const start = performance.now();
    const live = await translatePage({ translator, show });
    let visible = 0;
    live.addEventListener("visible", () => (visible ||= performance.now() - start));
    await live.complete;
    const complete = performance.now() - start;
    // The last layout belongs to it.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
    return {
      threads: translator.info.threads,
      words,
      texts: live.progress.translated,
      visibleMs: visible,
      pageMs: complete,
      engineMegabytes: translator.info.memoryBytes / 1e6,
    };
  }, show);

/**
 * The longest task of a page's main thread, in milliseconds of processor time.
 * @param {Uint8Array | undefined} trace
 */
function longestTask(trace) {
  /** @typedef {{name: string, pid: number, tid: number, tdur?: number, args: {name?: string}}} TraceEvent */
  const { traceEvents } = /** @type {{traceEvents: TraceEvent[]}} */ (JSON.parse(new TextDecoder().decode(trace)));
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const isMain = (/** @type {TraceEvent} */ event) =>
    mains.some(({ pid, tid }) => event.pid === pid && event.tid === tid);
  const tasks = traceEvents.filter(({ tdur }) => tdur !== undefined).filter(isMain);
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

const html = values.list ? longList() : article(Number(values.words));
const server = await serve({
  intercept: (request, response) => {
    if (request.url !== "/article.html") return false;
    response.writeHead(200, { "Content-Type": "text/html" }).end(html);
    return true;
  },
});
const counts = values.threads.split(",").map(Number);
/** @type {Figures[][]} */
const all = counts.map(() => []);
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [i, threads] of counts.entries()) {
      const browser = await launch("chromium");
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(TIMEOUT_MS);
        await page.setViewport({ width: 1280, height: 800 });
        await page.goto(`${server.url}article.html`);
        const processBefore = await processMegabytes(browser);
        await prepare(page, threads, lines.slice(0, WARM_LINES));
        await page.tracing.start({ categories: ["toplevel"] });
        const figures = await measure(page, values.show);
        const longestBlockMs = longestTask(await page.tracing.stop());
        all[i]?.push({ ...figures, longestBlockMs, processBefore, processAfter: await processMegabytes(browser) });
      } finally {
        await browser.close();
      }
    }
  }
} finally {
  await server.close();
}

const table = all.map((rounds) => {
  /** @param {keyof Figures} key */
  const median = (key) => rounds.map((figures) => figures[key]).sort((a, b) => a - b)[rounds.length >> 1] ?? 0;
  const keys = /** @type {(keyof Figures)[]} */ (Object.keys(rounds[0] ?? {}));
  return /** @type {Figures} */ (Object.fromEntries(keys.map((key) => [key, median(key)])));
});
if (values.json) console.log(JSON.stringify(table, null, 2));
else {
  const [first] = table;
  console.log(`${first?.words} words in ${first?.texts} texts, Chromium, median of ${values.rounds} rounds\n`);
  console.log(
    "| threads | in view, ms | whole page, ms | longest block of the main thread, ms | engine, MB | process before, MB | process after, MB |",
  );
  console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const f of table) {
    const cells = [
      f.threads,
      f.visibleMs,
      f.pageMs,
      f.longestBlockMs,
      f.engineMegabytes,
      f.processBefore,
      f.processAfter,
    ];
    console.log(`| ${cells.map((value) => value.toFixed(0)).join(" | ")} |`);
  }
}
