/**
 * The npm package in a fresh Vite application without any configuration.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, createServer } from "vite";
import { buildPackage } from "../../www/tools/package.mjs";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { MARIAN_FOLDER } from "./prototype.mjs";

const TSC = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));

/** What Vite serves as it is. */
const MODELS = fileURLToPath(new URL("../../models/", import.meta.url));

/** Without these there are no threads. */
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

const PAGE = `<!doctype html><html lang="en"><title>A fresh application</title>
<body><p id="text">The old house has <b>a red door</b>.</p><script type="module" src="/main.ts"></script></body></html>`;

const TRANSLATES_THE_PAGE = `
  import { Translator, translatePage } from "wanderwort";
  const models = "/models/index.json";
  const translator: Translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", models });
  const page = await translatePage({ translator });
  await page.complete;
  document.documentElement.dataset.threads = String(translator.info.threads);
  document.documentElement.dataset.done = await translator.translate("Good morning.");
  export {};
`;

const TRANSLATES_TEXT = `
  import { Translator } from "wanderwort";
  const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", models: "/models/index.json" });
  document.documentElement.dataset.done = await translator.translate("Good morning.");
  // @ts-expect-error A text is needed.
  translator.translate();
  export {};
`;

const TRANSLATES_AS_BERGAMOT = `
  import { BatchTranslator, CancelledError, TranslatorBacking } from "wanderwort/bergamot";
  import type { BackingOptions, LanguagePair, ModelBuffers } from "wanderwort/bergamot";
  class Own extends TranslatorBacking {
    override async loadModelRegistery() {
      return [{ from: "en", to: "de" }];
    }
    override async loadTranslationModel(pair: LanguagePair, options?: { signal?: AbortSignal }): Promise<ModelBuffers> {
      const [model, shortlist, vocab] = await Promise.all(
        ["model.ende.intgemm.alphas.bin", "lex.50.50.ende.s2t.bin", "vocab.ende.spm"].map((name) =>
          this.fetch("/marian/" + name, undefined, options),
        ),
      );
      return { model: model!, shortlist, vocabs: [vocab!] };
    }
  }
  const options: BackingOptions = { pivotLanguage: null };
  const translator = new BatchTranslator({ ...options, workers: 1 }, new Own(options));
  const request = { from: "en", to: "de", text: "The <b>house</b> is big.", html: true, mark: 7 };
  const { request: same, target } = await translator.translate(request);
  const mark: number = same.mark;
  await translator.delete();
  const isCancelled = await translator.translate(request).catch((error: unknown) => error instanceof CancelledError);
  document.documentElement.dataset.done = JSON.stringify([target.text, mark, isCancelled]);
  // @ts-expect-error Languages are needed.
  translator.translate({ text: "a" }).catch(() => {});
  export {};
`;

/** @type {string} */
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
});
after(() => rm(folder, { recursive: true }));

/** @param {string} name @param {string} script */
async function application(name, script) {
  const root = join(folder, name);
  await rm(root, { recursive: true, force: true });
  await mkdir(join(root, "node_modules"), { recursive: true });
  await buildPackage(join(root, "node_modules/wanderwort"));
  await writeFile(join(root, "index.html"), PAGE);
  await writeFile(join(root, "main.ts"), script);
  await writeFile(join(root, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  await build({ root, configFile: false, logLevel: "error" });
  return root;
}

/** Makes TypeScript check the application. @param {string} root */
async function checkTypes(root) {
  const language = ["--strict", "--target", "es2024", "--lib", "es2024,dom", "--types", ""];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler"];
  await promisify(execFile)(TSC, ["--noEmit", ...language, ...modules, join(root, "main.ts")], { cwd: root });
}

/** The scripts that the page itself loads. @param {string} root */
async function bundle(root) {
  const index = await readFile(join(root, "dist/index.html"), "utf8");
  const [, script = ""] = /src="\/(assets\/[^"]+\.js)"/.exec(index) ?? [];
  return readFile(join(root, "dist", script), "utf8");
}

/** @type {Record<string, string>} */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves what Vite has built; the models come from where the server has them. @param {string} root */
const server = (root) => ({
  /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
  intercept: async (request, response) => {
    const path = request.url === "/app" ? "/index.html" : (request.url ?? "");
    if (!/^\/(index\.html|assets\/[\w.-]+)$/.test(path)) return false;
    const content = await readFile(join(root, "dist", path));
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/plain" }).end(content);
    return true;
  },
});

inEveryBrowser("package", ({ withPage }) => {
  test("translates a page, with threads", async () => {
    const root = await application("page", TRANSLATES_THE_PAGE);
    await withPage({ path: "app", server: server(root) }, async ({ page, errors }) => {
      await page.waitForFunction(() => document.documentElement.dataset.done);
      assert.match(await page.$eval("html", (html) => html.dataset.done ?? ""), /Morgen/);
      assert.match(await page.$eval("#text", (text) => text.innerHTML), /^Das alte Haus hat <b>eine rote Tür<\/b>\.$/);
      assert.ok(Number(await page.$eval("html", (html) => html.dataset.threads)) > 1);
      assert.deepEqual(errors, []);
    });
  });

  test("works on Vite's development server too", async () => {
    const root = await application("development", TRANSLATES_THE_PAGE);
    await mkdir(join(root, "public"));
    await symlink(MODELS, join(root, "public/models"), "dir");
    const vite = await createServer({
      root,
      configFile: false,
      logLevel: "error",
      server: { port: 0, host: "127.0.0.1", headers: ISOLATED },
    });
    await vite.listen();
    try {
      await withPage({ path: BLANK }, async ({ page }) => {
        await page.goto(vite.resolvedUrls?.local[0] ?? "");
        await page.waitForFunction(() => document.documentElement.dataset.done);
        assert.match(
          await page.$eval("#text", (text) => text.innerHTML),
          /^Das alte Haus hat <b>eine rote Tür<\/b>\.$/,
        );
      });
    } finally {
      await vite.close();
    }
  });

  test("has the classes of bergamot-translator, with types", async () => {
    const root = await application("bergamot", TRANSLATES_AS_BERGAMOT);
    await checkTypes(root);
    const { intercept } = server(root);
    const marian = {
      /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
      intercept: async (request, response) => {
        const [, name] = /^\/marian\/([\w.]+)$/.exec(request.url ?? "") ?? [];
        if (name === undefined) return (await intercept?.(request, response)) ?? false;
        response.writeHead(200).end(await readFile(join(MARIAN_FOLDER, name)));
        return true;
      },
    };
    await withPage({ path: "app", server: marian }, async ({ page, errors }) => {
      await page.waitForFunction(() => document.documentElement.dataset.done);
      const done = JSON.parse(await page.$eval("html", (html) => html.dataset.done ?? ""));
      assert.deepEqual(done, ["Das <b>Haus</b> ist groß.", 7, true]);
      assert.deepEqual(errors, []);
    });
  });

  test("takes no more along than is used, and has types", async () => {
    const root = await application("text", TRANSLATES_TEXT);
    assert.match(await bundle(root), /translate-block/);
    assert.doesNotMatch(await bundle(root), /formdata/, "no page translation");
    assert.ok((await readdir(join(root, "dist/assets"))).some((name) => name.endsWith(".wasm")));
    await checkTypes(root);
  });
});
