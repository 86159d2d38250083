/**
 * The npm package outside of browsers: imported without a DOM, translating in Node, Deno and Bun, ready for publication.
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { buildPackage } from "../../www/tools/package.mjs";
import { MARIAN_FOLDER as MARIAN } from "../browser/prototype.mjs";

const MODELS = fileURLToPath(new URL("../../models", import.meta.url));
const MODEL = join(MODELS, "en-de.tiny.wanderwort");

/** A run that takes longer hangs. */
const TIMEOUT_MS = 120_000;

/** @type {string} */
let app;
/** @type {string} */
let installed;
before(async () => {
  app = mkdtempSync(join(tmpdir(), "wanderwort-"));
  installed = join(app, "node_modules/wanderwort");
  mkdirSync(installed, { recursive: true });
  await buildPackage(installed);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
});
after(() => rmSync(app, { recursive: true }));

/**
 * Runs a script of a fresh application to its end, which it must reach by itself.
 * @param {string} name
 * @param {string} script
 * @param {string[]} [command]
 */
async function run(name, script, command = [process.execPath]) {
  const path = join(app, name);
  writeFileSync(path, script);
  const [program = "", ...before] = command;
  const { stdout } = await promisify(execFile)(program, [...before, path], { cwd: app, timeout: TIMEOUT_MS });
  return stdout;
}

/** A model in each of the forms in which it can be given, and what cannot be done here. */
const TRANSLATES = `
  import { readFileSync } from "node:fs";
  import { pathToFileURL } from "node:url";
  import { LanguageDetector, Translator, modelFiles, translatePage } from "wanderwort";
  const pair = { sourceLanguage: "en", targetLanguage: "de" };
  const model = ${JSON.stringify(MODEL)};
  const progress = [];
  const monitor = (monitor) => (monitor.ondownloadprogress = (event) => progress.push(event.loaded));
  const ways = {
    file: { files: await modelFiles(model) },
    address: { files: await modelFiles(pathToFileURL(model)) },
    bytes: { files: await modelFiles(readFileSync(model)), threads: 1 },
    list: { models: pathToFileURL(${JSON.stringify(join(MODELS, "index.json"))}), monitor },
  };
  const seen = {};
  for (const [name, options] of Object.entries(ways)) {
    const translator = await Translator.create({ ...pair, ...options });
    seen[name] = await translator.translate("The house is big.");
    seen.threads = translator.info.threads;
    translator.destroy();
    seen.after = await translator.translate("a").catch((error) => error.name);
  }
  // The last one is not ended: the process ends all the same.
  const last = await Translator.create({ ...pair, files: ways.file.files });
  seen.stream = [];
  for await (const chunk of last.translateStreaming("Good morning.\\nGood night.")) seen.stream.push(chunk);
  seen.page = await translatePage({ translator: last }).catch((error) => error.name);
  seen.broken = await Translator.create({ ...pair, files: [new File(["WANDERW\\nno"], "broken.wanderwort")] }).catch((error) => error.name);
  seen.missing = await Translator.create(pair).catch((error) => error.name);
  seen.aborted = await Translator.create({ ...pair, ...ways.file, signal: AbortSignal.timeout(1) }).catch((error) => error.name);
  seen.progress = [progress[0], progress.at(-1)];
  seen.detector = [await LanguageDetector.availability()];
  const detector = await LanguageDetector.create();
  for (const text of ["Das Haus ist groß.", "La maison est grande."]) seen.detector.push((await detector.detect(text))[0].detectedLanguage);
  console.log(JSON.stringify(seen));
`;

/** @param {string} output */
function checkTranslations(output) {
  const seen = JSON.parse(output);
  for (const way of ["file", "address", "bytes", "list"]) assert.equal(seen[way], "Das Haus ist groß.", way);
  assert.match(seen.stream.join(), /Morgen[^]*Nacht/);
  assert.deepEqual(seen.progress, [0, 1]);
  assert.deepEqual(seen.detector, ["available", "de", "fr"]);
  const { after: destroyed, page, broken, missing, aborted } = seen;
  assert.deepEqual(
    { destroyed, page, broken, missing, aborted },
    {
      destroyed: "AbortError",
      page: "NotSupportedError",
      broken: "OperationError",
      missing: "UnknownError",
      aborted: "TimeoutError",
    },
  );
  return seen;
}

test("a fresh application translates in Node", async () => {
  const { threads } = checkTranslations(await run("translates.mjs", TRANSLATES));
  assert.ok(threads >= 1);
});

test("Marian's files in a folder are a model, and become a package", async () => {
  const output = await run(
    "marian.mjs",
    `
    import { Translator, convertModel, modelFiles } from "wanderwort";
    const pair = { sourceLanguage: "en", targetLanguage: "de" };
    const files = await modelFiles(${JSON.stringify(MARIAN)});
    const marian = await Translator.create({ ...pair, files });
    const text = await marian.translate("The house is big.");
    const blob = await convertModel(files, { ...pair, bits: "int8" });
    const packed = await Translator.create({ ...pair, files: await modelFiles(await blob.arrayBuffer()) });
    console.log(JSON.stringify([text, await packed.translate("The house is big.")]));
    `,
  );
  const [text, again] = JSON.parse(output);
  assert.match(text, /Haus/);
  assert.equal(again, text);
});

/** A program written for bergamot-translator, with models from files. */
const BERGAMOT = `
  import { pathToFileURL } from "node:url";
  import { BatchTranslator, CancelledError, TranslatorBacking } from "wanderwort/bergamot";
  const folder = pathToFileURL(${JSON.stringify(`${MARIAN}/`)});
  class Own extends TranslatorBacking {
    async loadModelRegistery() {
      return [{ from: "fr", to: "en" }, { from: "en", to: "de" }];
    }
    async loadTranslationModel() {
      const bytes = (name) => this.fetch(new URL(name, folder).href);
      const [model, shortlist, vocab] = await Promise.all(
        ["model.ende.intgemm.alphas.bin", "lex.50.50.ende.s2t.bin", "vocab.ende.spm"].map(bytes),
      );
      return { model, shortlist, vocabs: [vocab] };
    }
  }
  const translator = new BatchTranslator({}, new Own());
  const seen = [];
  for (const request of [
    { from: "en", to: "de", text: "The house is big." },
    { from: "en", to: "de", text: "<p>The old house has <b>a red door</b>.</p>", html: true },
    { from: "fr", to: "de", text: "The house is big." },
  ]) {
    seen.push((await translator.translate(request)).target.text);
  }
  await translator.backing.fetch(new URL("vocab.ende.spm", folder).href, "00").catch((error) => seen.push(error.message));
  const last = translator.translate({ from: "en", to: "de", text: "The house is big." });
  translator.delete();
  await last.catch((error) => seen.push(error instanceof CancelledError));
  console.log(JSON.stringify(seen));
`;

/** @param {string} output */
function checkBergamot(output) {
  const [plain, html, pivoted, wrong, isCancelled] = JSON.parse(output);
  assert.equal(plain, "Das Haus ist groß.");
  assert.equal(html, "<p>Das alte Haus hat <b>eine rote Tür</b>.</p>");
  assert.match(pivoted, /^Das Haus/);
  assert.match(wrong, /SHA-256/);
  assert.equal(isCancelled, true);
}

test("the classes of bergamot-translator translate in Node, with models from files", async () => {
  checkBergamot(await run("bergamot.mjs", BERGAMOT));
});

test("importing it does nothing, with the browser's file too", async () => {
  // Server-side rendering takes either one.
  for (const file of ["library/wanderwort.js", "node/node.js", "library/service-worker.js"]) {
    const url = pathToFileURL(join(installed, file));
    const output = await run(
      "imports.mjs",
      `
      const before = Object.keys(globalThis).length;
      const { Translator, PageTranslation, CreateMonitor } = await import(${JSON.stringify(url.href)});
      const error = await Translator.create({}).catch((error) => error.name);
      console.log(typeof PageTranslation, typeof CreateMonitor, error, Object.keys(globalThis).length - before);
      `,
    );
    assert.equal(output, "function function TypeError 0\n", file);
  }
});

test("the browser's file says what to do where workers cannot be started", async () => {
  const output = await run(
    "browser.mjs",
    `
    import { Translator } from ${JSON.stringify(pathToFileURL(join(installed, "library/wanderwort.js")).href)};
    const files = [new File(["a"], "model.wanderwort")];
    const error = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", files }).catch((error) => error);
    console.log(error.name, error.message);
    `,
  );
  assert.match(output, /^NotSupportedError .*node\.js/);
});

for (const [name, ...flags] of [["deno", "run", "--allow-all", "--node-modules-dir=manual"], ["bun"]]) {
  const program = fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
  /** The packages bring the program in a separate package for each system. */
  const isThere = () => {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  test(`a fresh application translates in ${name}`, { skip: isThere() ? false : `${name} is not there` }, async () => {
    checkTranslations(await run(`${name}.mjs`, TRANSLATES, [program, ...flags]));
    checkBergamot(await run(`bergamot-${name}.mjs`, BERGAMOT, [program, ...flags]));
  });
}

test("publint and arethetypeswrong find nothing", async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true });
  assert.deepEqual(messages, []);
  const name = execFileSync("npm", ["pack", "--silent", installed], { cwd: app, encoding: "utf8" }).trim();
  const tarball = new Uint8Array(readFileSync(join(app, name)));
  const analysis = await checkPackage(createPackageFromTarballData(tarball), {
    // What bundlers copy has no types.
    excludeEntrypoints: ["./worker/worker.js", "./worker/language-worker.js", /^\.\/pkg/],
  });
  assert.ok("problems" in analysis);
  // The package has ES modules only, as its Node version says.
  const problems = analysis.problems.filter(({ kind }) => kind !== "CJSResolvesToESM");
  assert.deepEqual(problems, []);
});

test("the package holds what it needs and no more", () => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", installed], { cwd: app, encoding: "utf8" }),
  );
  const paths = packed.files.map((/** @type {{path: string}} */ file) => file.path);
  for (const path of [
    "README.md",
    "LICENSE",
    "package.json",
    "LICENSE-eld.txt",
    "worker/worker.js",
    "worker/language-worker.js",
    "node/worker.js",
    "library/service-worker.js",
    "library/wanderwort.d.ts",
    "node/node.d.ts",
    "library/service-worker.d.ts",
    "bergamot/bergamot.js",
    "bergamot/bergamot.d.ts",
    "node/bergamot.d.ts",
  ]) {
    assert.ok(paths.includes(path), path);
  }
  assert.ok(
    !paths.some((/** @type {string} */ path) => /test|tsconfig|fingerprint|site|extension/.test(path)),
    paths.join(),
  );
  const { sideEffects, publishConfig, exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.deepEqual(publishConfig, { access: "public", provenance: true });
  assert.deepEqual(sideEffects, [
    "./node/node.js",
    "./node/bergamot.js",
    "./node/worker.js",
    "./library/service-worker.js",
  ]);
  assert.deepEqual(Object.keys(exports["."]), ["node", "default"]);
});
