/**
 * A first visit, and what packages save in it: `benches/peers/run.sh visit [--browsers chromium,firefox] [--mbits 20]
 * [--rounds 3]`, which fetches and builds what this needs.
 *
 * Prints, for the same model as a package and as Marian's files (plain, and gzip-compressed as such models are published),
 * the time from opening a page to the first translation over a connection of limited speed, how long after the last
 * byte that is, and the engine's memory; in Chromium also for bergamot-translator, with the gzip-compressed files; then
 * the speed of unpacking. Each figure is the best of all rounds, each visit a first one. Engines come gzip-compressed.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { serve } from "../../www/tools/serve.mjs";
import { TIMEOUT_MS, launch } from "../../tests/browser/browsers.mjs";
import { MARIAN_FOLDER } from "../../tests/browser/prototype.mjs";
import { packageFolder } from "../../tests/browser/packages.mjs";

const { values } = parseArgs({
  options: {
    browsers: { type: "string", default: "chromium,firefox" },
    mbits: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
  },
});

const BERGAMOT = fileURLToPath(new URL(".fetched/node_modules/@browsermt/bergamot-translator/", import.meta.url));

const WWW = fileURLToPath(new URL("../../www/", import.meta.url));

const TEXT = "Good morning, where is the station?";

/** The limit is kept in steps of so many milliseconds. */
const STEP_MS = 10;

/**
 * Passes connections on to a port, all answers together no faster than the limit.
 * @param {number} port
 * @param {number} bytesPerSecond
 */
async function limited(port, bytesPerSecond) {
  let lastByte = 0;
  /** When the line is free again. */
  let free = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.pipe(upstream);
    client.on("error", () => upstream.destroy());
    client.on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    const pass = async () => {
      for await (const chunk of upstream) {
        const piece = Math.ceil((bytesPerSecond * STEP_MS) / 1000);
        for (let at = 0; at < chunk.length; at += piece) {
          const part = chunk.subarray(at, at + piece);
          const now = performance.now();
          free = Math.max(free, now) + (part.length / bytesPerSecond) * 1000;
          if (free > now) await new Promise((resolve) => setTimeout(resolve, free - now));
          client.write(part);
          lastByte = Date.now();
        }
      }
      client.end();
    };
    pass().catch(() => client.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}/`,
    lastByte: () => lastByte,
    close: () => server.close(),
  };
}

/**
 * A folder like `models/` with Marian's files.
 * @param {boolean} compressed
 */
function marianFolder(compressed) {
  const path = mkdtempSync(join(tmpdir(), "wanderwort-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  const files = readdirSync(MARIAN_FOLDER)
    .filter((name) => /\.(spm|bin|yml)$/.test(name))
    // The network's weights last, so that their unpacking is what remains to do.
    .sort((a, b) => Number(a.startsWith("model")) - Number(b.startsWith("model")))
    .map((name) => {
      const content = readFileSync(join(MARIAN_FOLDER, name));
      const bytes = compressed ? gzipSync(content, { level: 9 }) : content;
      const url = compressed ? `${name}.gz` : name;
      writeFileSync(join(path, url), bytes);
      return { url, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
    });
  const list = { version: 1, models: [{ name: "en-de", source: "en", target: "de", files }] };
  writeFileSync(join(path, "index.json"), JSON.stringify(list));
  return path;
}

/** @param {string} path */
const downloadSize = (path) =>
  JSON.parse(readFileSync(join(path, "index.json"), "utf8")).models[0].files.reduce(
    (/** @type {number} */ sum, /** @type {{size: number}} */ file) => sum + file.size,
    0,
  );

/** @type {Map<string, Buffer>} */
const compressed = new Map();

/**
 * Sends a file gzip-compressed, as hosts do.
 * @param {import("node:http").ServerResponse} response
 * @param {string} path
 */
function sendCompressed(response, path) {
  const content = compressed.get(path) ?? gzipSync(readFileSync(path), { level: 9 });
  compressed.set(path, content);
  const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
  response.writeHead(200, { "Content-Type": type, "Content-Encoding": "gzip", "Content-Length": content.length });
  response.end(content);
  return true;
}

/** What a page does on its first visit; it gives the time of the first translation, memory and weights in bytes. */
const ours = async (/** @type {string} */ text) => {
  const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
  const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads: 1 });
  await translator.translate(text);
  const { memoryBytes, weightBytes } = translator.info;
  return { translated: Date.now(), memory: memoryBytes, weights: weightBytes };
};

/** The same with the peer. */
const bergamot = async (/** @type {string} */ text) => {
  const { TranslatorBacking } = await import(/** @type {any} */ ("/bergamot/translator.js"));
  const backing = new TranslatorBacking({ registryUrl: "data:application/json,{}", cacheSize: 0 });
  const bytes = async (/** @type {string} */ name) => {
    const { body } = await fetch(`/models/${name}.gz`);
    return new Response(body?.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  const [{ exports: worker }, model, shortlist, vocabulary] = await Promise.all([
    backing.loadWorker(),
    bytes("model.ende.intgemm.alphas.bin"),
    bytes("lex.50.50.ende.s2t.bin"),
    bytes("vocab.ende.spm"),
  ]);
  const pair = { from: "en", to: "de" };
  const config = { "gemm-precision": "int8shiftAlphaAll" };
  await worker.loadTranslationModel(pair, { model, shortlist, vocabs: [vocabulary], qualityModel: null, config });
  await worker.translate({ models: [pair], texts: [{ text, html: false, qualityScores: false }] });
  return { translated: Date.now(), memory: 0, weights: 0 };
};

/**
 * A first visit.
 * @param {import("puppeteer-core").Browser} browser
 * @param {string} models
 * @param {typeof ours} action
 */
async function visit(browser, models, action) {
  const server = await serve({
    models,
    intercept: (request, response) => {
      const path = request.url ?? "";
      if (path.startsWith("/pkg/") && existsSync(join(WWW, path))) return sendCompressed(response, join(WWW, path));
      if (path.startsWith("/bergamot/")) return sendCompressed(response, join(BERGAMOT, path.slice(10)));
      if (path !== "/blank.html") return false;
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Blank</title>");
      return true;
    },
  });
  const line = await limited(server.port, (Number(values.mbits) * 1e6) / 8);
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const start = Date.now();
    await page.goto(`${line.url}blank.html`, { timeout: TIMEOUT_MS });
    const { translated, memory, weights } = await page.evaluate(action, TEXT);
    return { total: translated - start, after: translated - line.lastByte(), memory, weights };
  } finally {
    await context.close();
    line.close();
    await server.close();
  }
}

/**
 * Million weights a second.
 * @param {import("puppeteer-core").Browser} browser
 * @param {import("../../tests/browser/packages.mjs").PackageFolder} folder
 */
async function unpackingSpeed(browser, folder) {
  const server = await serve({ models: folder.path });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}icon.svg`);
    return await page.evaluate(async (name) => {
      const module = await import(/** @type {any} */ ("/pkg/simd128/wanderwort.js"));
      await module.default();
      const bytes = new Uint8Array(await (await fetch(`/models/${name}`)).arrayBuffer());
      let fastest = Infinity;
      let weights = 0;
      for (let i = 0; i < 10; i++) {
        const start = performance.now();
        weights = module.unpackPackage(bytes);
        fastest = Math.min(fastest, performance.now() - start);
      }
      return weights / fastest / 1000;
    }, folder.name);
  } finally {
    await server.close();
  }
}

if (!existsSync(BERGAMOT)) {
  console.error("visit.mjs: bergamot-translator is missing; `benches/peers/run.sh visit` fetches it and runs this");
  process.exit(1);
}
const folder = packageFolder();
const gzipFolder = marianFolder(true);
/** @type {{form: string, path: string, action: typeof ours, browsers: string[]}[]} */
const forms = [
  { form: "package", path: folder.path, action: ours, browsers: ["chromium", "firefox"] },
  { form: "Marian's files, gzip", path: gzipFolder, action: ours, browsers: ["chromium", "firefox"] },
  { form: "Marian's files", path: marianFolder(false), action: ours, browsers: ["chromium", "firefox"] },
  { form: "the same, gzip, in bergamot-translator", path: gzipFolder, action: bergamot, browsers: ["chromium"] },
];

console.log(`${values.mbits} Mbit/s, one thread, best of ${values.rounds} rounds\n`);
console.log("| browser | model | MB | first translation, s | after the last byte, ms | memory / weights, MB |");
console.log("| --- | --- | ---: | ---: | ---: | ---: |");
for (const name of values.browsers.split(",")) {
  const browser = await launch(/** @type {import("../../tests/browser/browsers.mjs").BrowserName} */ (name));
  try {
    /** @type {Map<string, {total: number, after: number, memory: number, weights: number}>} */
    const best = new Map();
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const { form, path, action } of forms.filter(({ browsers }) => browsers.includes(name))) {
        const found = await visit(browser, path, action);
        const known = best.get(form) ?? found;
        found.total = Math.min(found.total, known.total);
        found.after = Math.min(found.after, known.after);
        best.set(form, found);
      }
    }
    for (const [form, { total, after, memory, weights }] of best) {
      const path = forms.find((known) => known.form === form)?.path ?? "";
      const cells = [
        name,
        form,
        (downloadSize(path) / 1e6).toFixed(2),
        (total / 1000).toFixed(2),
        after,
        memory === 0 ? "" : `${(memory / 1e6).toFixed(1)} / ${(weights / 1e6).toFixed(1)}`,
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
    console.log(
      `\nUnpacking in ${name}: ${(await unpackingSpeed(browser, folder)).toFixed(0)} million weights a second\n`,
    );
  } finally {
    await browser.close();
  }
}
