/**
 * Times a translator in a page of Chromium, on one thread:
 *
 *     node browser.mjs bergamot|wanderwort|package TEXT OUTPUT [VARIANT]
 *
 * `bergamot` and `wanderwort` run the same files of Marian's, `package` is Wanderwort with the package in `models/`.
 * VARIANT chooses one of our WebAssembly modules. The last line printed is a JSON object. Processor time and memory are
 * those of the renderer process, in which page, workers and engine live.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { MARIAN_FOLDER } from "../../tests/browser/prototype.mjs";
import { serve } from "../../www/tools/serve.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const FETCHED = join(HERE, ".fetched/node_modules/@browsermt/bergamot-translator");
/** So many lines, spread over the text, are translated one by one. */
const ALONE = 200;
const PAIR = { from: "en", to: "de" };
const MODEL = {
  model: "model.ende.intgemm.alphas.bin",
  shortlist: "lex.50.50.ende.s2t.bin",
  vocabulary: "vocab.ende.spm",
  settings: "decoder.yml",
};

const [engine, textPath, output, variant] = process.argv.slice(2);
if (!["bergamot", "wanderwort", "package"].includes(engine ?? "") || !textPath || !output) {
  console.error("usage: node browser.mjs bergamot|wanderwort|package TEXT OUTPUT [VARIANT]");
  process.exit(2);
}
const lines = (await readFile(textPath, "utf8")).trimEnd().split("\n");
const countWords = (/** @type {string[]} */ texts) => texts.join(" ").split(/\s+/).filter(Boolean).length;

const server = await serve({
  port: 0,
  // Our own server, which also answers with an empty page and the peer's files.
  intercept: async (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (path === "/empty.html") {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Benchmark</title>");
      return true;
    }
    if (path.includes("..")) return false;
    if (path.startsWith("/marian/")) {
      response.writeHead(200).end(await readFile(join(MARIAN_FOLDER, path.slice(8))));
      return true;
    }
    if (!path.startsWith("/bergamot/")) return false;
    const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    response.writeHead(200, { "Content-Type": type }).end(await readFile(join(FETCHED, path.slice(10))));
    return true;
  },
});

const browser = await puppeteer.launch({
  browser: "chrome",
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  protocolTimeout: 600_000,
});
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(new URL("/empty.html", server.url).href);
  const devtools = await browser.target().createCDPSession();
  /** The renderer that has worked most is the page's. */
  const renderer = async () => {
    const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
    const renderers = processInfo.filter((info) => info.type === "renderer");
    return renderers.reduce((most, info) => (info.cpuTime > most.cpuTime ? info : most));
  };

  /** @param {"VmRSS" | "VmHWM"} field resident size of the renderer in MiB: now, or at most so far */
  const memory = async (field) => {
    const status = await readFile(`/proc/${(await renderer()).id}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  };
  const memoryBefore = await memory("VmRSS");

  await page.evaluate(
    async (engine, pair, model, variant) => {
      const state = /** @type {any} */ (globalThis);
      const fetchBytes = async (/** @type {string} */ name) => (await fetch(`/marian/${name}`)).arrayBuffer();
      if (engine === "bergamot") {
        const { TranslatorBacking } = await import(new URL("/bergamot/translator.js", location.href).href);
        const backing = new TranslatorBacking({ registryUrl: "data:application/json,{}", cacheSize: 0 });
        const { exports: worker } = await backing.loadWorker();
        await worker.loadTranslationModel(pair, {
          model: await fetchBytes(model.model),
          shortlist: await fetchBytes(model.shortlist),
          vocabs: [await fetchBytes(model.vocabulary)],
          qualityModel: null,
          config: { "gemm-precision": "int8shiftAlphaAll" },
        });
        state.translateAll = async (/** @type {string[]} */ texts) => {
          const requests = texts.map((text) => ({ text, html: false, qualityScores: false }));
          const responses = await worker.translate({ models: [pair], texts: requests });
          return responses.map((/** @type {{target: {text: string}}} */ response) => response.target.text);
        };
      } else {
        const { Translator } = await import(new URL("/library/wanderwort.js", location.href).href);
        const read = async (/** @type {string} */ name) => new File([await fetchBytes(name)], name);
        const own = engine === "wanderwort" ? { files: await Promise.all(Object.values(model).map(read)) } : {};
        const options = { sourceLanguage: pair.from, targetLanguage: pair.to, threads: 1, variant, ...own };
        const translator = await Translator.create(options);
        state.translateAll = (/** @type {string[]} */ texts) =>
          Promise.all(texts.map((text) => translator.translate(text)));
        state.info = translator.info;
      }
    },
    engine,
    PAIR,
    MODEL,
    variant,
  );

  const translateAll = (/** @type {string[]} */ texts) =>
    page.evaluate(async (texts) => {
      const start = performance.now();
      const translations = await /** @type {any} */ (globalThis).translateAll(texts);
      return { translations, seconds: (performance.now() - start) / 1000 };
    }, texts);

  // Lets the browser finish compiling. No line of it comes again, so that no cache of translations can help.
  const warmUp = lines.slice(0, 100).map((line) => line.split(" ").reverse().join(" "));
  await translateAll(warmUp);
  const before = (await renderer()).cpuTime;
  const { translations, seconds } = await translateAll(lines);
  const processorSeconds = (await renderer()).cpuTime - before;
  await writeFile(output, translations.map((/** @type {string} */ line) => `${line}\n`).join(""));

  // One by one, a word less than before, for the same reason.
  const alone = Array.from({ length: Math.min(ALONE, lines.length) }, (_, i) => {
    const words = (lines[Math.floor((i * lines.length) / Math.min(ALONE, lines.length))] ?? "").split(" ");
    return [...words.slice(0, -2), ...words.slice(-1)].join(" ");
  });
  const beforeAlone = (await renderer()).cpuTime;
  const times = await page.evaluate(async (texts) => {
    const times = [];
    for (const text of texts) {
      const start = performance.now();
      await /** @type {any} */ (globalThis).translateAll([text]);
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
  }, alone);
  const { cpuTime } = await renderer();
  const info = await page.evaluate(() => /** @type {any} */ (globalThis).info);
  console.log(
    JSON.stringify({
      browser: await browser.version(),
      info,
      words_per_second: countWords(lines) / seconds,
      words_per_processor_second: countWords(lines) / processorSeconds,
      alone_median_ms: times[Math.floor(times.length / 2)],
      alone_95th_percentile_ms: times[Math.floor(times.length * 0.95)],
      alone_mean_processor_ms: ((cpuTime - beforeAlone) * 1000) / times.length,
      memory_peak_mib: await memory("VmHWM"),
      memory_own_mib: (await memory("VmHWM")) - memoryBefore,
    }),
  );
} finally {
  await browser.close();
  await server.close();
}
