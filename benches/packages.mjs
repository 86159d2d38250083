/**
 * What packages save in the page: `node benches/packages.mjs [--browsers chromium,firefox] [--mbits 20] [--rounds 3]`.
 *
 * Prints, for the same model as a package and as Marian's files (plain, and gzip-compressed as such models are published),
 * the time from opening a page to the first translation over a connection of limited speed, how long after the last
 * byte that is, and the engine's memory; then the speed of unpacking. Each figure is the best of all rounds, each visit
 * a first one. Wants `./build.sh wasm` and `./build.sh native`.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { serve } from "../www/serve.mjs";
import { TIMEOUT_MS, launch } from "../tests/browser/browsers.mjs";
import { MARIAN_FOLDER } from "../tests/browser/native.mjs";
import { packageFolder } from "../tests/browser/packages.mjs";

const { values } = parseArgs({
  options: {
    browsers: { type: "string", default: "chromium,firefox" },
    mbits: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
  },
});

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

/**
 * A first visit.
 * @param {import("puppeteer-core").Browser} browser
 * @param {string} models
 */
async function visit(browser, models) {
  const server = await serve({
    models,
    intercept: (request, response) => {
      if (request.url !== "/blank.html") return false;
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
    const { translated, memory, weights } = await page.evaluate(async () => {
      const { Translator } = await import(/** @type {any} */ ("/wanderwort.js"));
      const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads: 1 });
      await translator.translate("Good morning, where is the station?");
      const { memoryBytes, weightBytes } = translator.info;
      return { translated: Date.now(), memory: memoryBytes, weights: weightBytes };
    });
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
 * @param {import("../tests/browser/packages.mjs").PackageFolder} folder
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

const folder = packageFolder();
/** @type {[string, string][]} */
const forms = [
  ["package", folder.path],
  ["Marian's files, gzip", marianFolder(true)],
  ["Marian's files", marianFolder(false)],
];

console.log(`${values.mbits} Mbit/s, one thread, best of ${values.rounds} rounds\n`);
console.log("| browser | model | MB | first translation, s | after the last byte, ms | memory / weights, MB |");
console.log("| --- | --- | ---: | ---: | ---: | ---: |");
for (const name of values.browsers.split(",")) {
  const browser = await launch(/** @type {import("../tests/browser/browsers.mjs").BrowserName} */ (name));
  try {
    /** @type {Map<string, {total: number, after: number, memory: number, weights: number}>} */
    const best = new Map();
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [form, path] of forms) {
        const found = await visit(browser, path);
        const known = best.get(form) ?? found;
        found.total = Math.min(found.total, known.total);
        found.after = Math.min(found.after, known.after);
        best.set(form, found);
      }
    }
    for (const [form, path] of forms) {
      const { total, after, memory, weights } = best.get(form) ?? (await visit(browser, path));
      const cells = [
        name,
        form,
        (downloadSize(path) / 1e6).toFixed(2),
        (total / 1000).toFixed(2),
        after,
        `${(memory / 1e6).toFixed(1)} / ${(weights / 1e6).toFixed(1)}`,
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
