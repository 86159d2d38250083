/**
 * The npm package in fresh applications of the common bundlers, each built as its documentation says and opened in a browser.
 * Vite has a file of its own (`package.test.mjs`).
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import esbuild from "esbuild";
import { rollup } from "rollup";
import webpack from "webpack";
import { buildPackage } from "../../www/tools/package.mjs";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { TIMEOUT_MS } from "./browsers.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Below the project, whose packages Next.js then finds: it does not follow links out of its root. */
const APPS = join(ROOT, "target/apps");
const INSTALLED = join(APPS, "node_modules/wanderwort");

const MAIN = `
  import { LanguageDetector, Translator } from "wanderwort";
  const detector = await LanguageDetector.create();
  document.documentElement.dataset.language = (await detector.detect("Das Haus ist groß."))[0].detectedLanguage;
  const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", models: "/models/index.json" });
  document.documentElement.dataset.threads = String(translator.info.threads);
  document.documentElement.dataset.done = await translator.translate("Good morning.");
`;

const PAGE = `<!doctype html><html lang="en"><title>A fresh application</title><script type="module" src="main.js"></script></html>`;

before(async () => {
  await rm(APPS, { recursive: true, force: true });
  await buildPackage(INSTALLED);
  await writeFile(join(APPS, "package.json"), JSON.stringify({ name: "apps", private: true, type: "module" }));
});
after(() => rm(APPS, { recursive: true, force: true }));

/** @param {string} name */
async function application(name) {
  const root = join(APPS, name);
  await mkdir(join(root, "dist"), { recursive: true });
  await writeFile(join(root, "main.js"), MAIN);
  await writeFile(join(root, "dist/index.html"), PAGE);
  return root;
}

/** Copies what is left out by bundlers that know nothing of `new URL("file", import.meta.url)`. @param {string} root */
async function copyFiles(root) {
  for (const name of ["worker", "pkg"]) await cp(join(INSTALLED, name), join(root, "dist", name), { recursive: true });
}

/** @type {Record<string, (root: string) => Promise<unknown>>} */
const BUNDLERS = {
  webpack: (root) =>
    new Promise((resolve, reject) => {
      const output = { path: join(root, "dist"), filename: "main.js", module: true };
      const options = { context: root, mode: /** @type {const} */ ("production"), entry: "./main.js", output };
      // Otherwise it would warn that the modules are large.
      const performance = { hints: /** @type {const} */ (false) };
      webpack({ ...options, experiments: { outputModule: true }, performance }, (error, stats) => {
        if (error || stats?.hasErrors() || stats?.hasWarnings()) reject(error ?? new Error(stats?.toString()));
        else resolve(stats);
      });
    }),
  rollup: async (root) => {
    const build = await rollup({ input: join(root, "main.js"), plugins: [nodeResolve({ browser: true })] });
    await build.write({ file: join(root, "dist/main.js"), format: "es" });
    await copyFiles(root);
  },
  esbuild: async (root) => {
    const options = {
      bundle: true,
      minify: true,
      format: /** @type {const} */ ("esm"),
      logLevel: /** @type {const} */ ("error"),
    };
    await esbuild.build({ ...options, entryPoints: [join(root, "main.js")], outfile: join(root, "dist/main.js") });
    await copyFiles(root);
  },
};

/** @type {Record<string, string>} */
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves what was built; the models come from where the server has them. @param {string} root */
const server = (root) => ({
  /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
  intercept: async (request, response) => {
    const path = request.url?.replace(/^\/app\/$/, "/app/index.html") ?? "";
    if (!/^\/app\/[\w./-]+$/.test(path) || path.includes("..")) return false;
    const content = await readFile(join(root, "dist", path.slice("/app/".length))).catch(() => null);
    response.writeHead(content ? 200 : 404, { "Content-Type": TYPES[extname(path)] ?? "text/plain" }).end(content);
    return true;
  },
});

/** The files of a Next.js application. @type {Record<string, string>} */
const NEXT = {
  "package.json": JSON.stringify({ name: "next-app", private: true }),
  "next.config.mjs": `
    const headers = [
      { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
      { key: "Cross-Origin-Embedder-Policy", value: "require-corp" },
    ];
    export default {
      serverExternalPackages: ["wanderwort"],
      turbopack: { root: ${JSON.stringify(ROOT)} },
      headers: async () => [{ source: "/:path*", headers }],
    };`,
  "app/layout.jsx": `
    export default function Layout({ children }) {
      return <html lang="en"><body>{children}</body></html>;
    }`,
  "app/translation.jsx": `
    "use client";
    import { useEffect, useState } from "react";
    import { Translator } from "wanderwort";
    export default function Translation() {
      const [text, setText] = useState("Good morning.");
      useEffect(() => {
        const controller = new AbortController();
        const options = { sourceLanguage: "en", targetLanguage: "de", models: "/models/index.json", signal: controller.signal };
        Translator.create(options).then((translator) => translator.translate("Good morning.")).then(setText, (error) => {
          if (!controller.signal.aborted) setText(String(error));
        });
        return () => controller.abort();
      }, []);
      return <p id="text">{text}</p>;
    }`,
  "app/page.jsx": `
    import Translation from "./translation.jsx";
    export default function Page() {
      return <Translation />;
    }`,
  "app/client/page.jsx": `
    "use client";
    import dynamic from "next/dynamic";
    const Translation = dynamic(() => import("../translation.jsx"), { ssr: false });
    export default function Page() {
      return <Translation />;
    }`,
  "app/api/route.js": `
    import { Translator, modelFiles } from "wanderwort";
    export const dynamic = "force-dynamic";
    export async function GET() {
      const files = await modelFiles("public/models/en-de.tiny.wanderwort");
      const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", files });
      const text = await translator.translate("Good morning.");
      translator.destroy();
      return new Response(text);
    }`,
};

/**
 * Builds and starts the application.
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
async function startNext() {
  const root = join(APPS, "next");
  for (const [path, content] of Object.entries(NEXT)) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await cp(join(ROOT, "models"), join(root, "public/models"), { recursive: true });
  const next = join(ROOT, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: root, env, timeout: 3 * TIMEOUT_MS });
  const started = spawn(process.execPath, [next, "start", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: root,
    env,
  });
  const ended = new Promise((resolve) => started.once("exit", resolve));
  let output = "";
  const url = await new Promise((resolve, reject) => {
    const listen = (/** @type {Buffer} */ data) => {
      output += data;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    started.stdout.on("data", listen);
    started.stderr.on("data", listen);
    ended.then(() => reject(new Error(`next start ended:\n${output}`)));
  });
  const stop = async () => {
    started.kill();
    await ended;
  };
  return { url, stop };
}

/** Builds are the same for all browsers. @type {Map<string, Promise<string>>} */
const built = new Map();

/** @param {string} name */
async function build(name) {
  const root = await application(name);
  await BUNDLERS[name]?.(root);
  return root;
}

inEveryBrowser("bundlers", ({ name: browserName, withPage }) => {
  for (const name of Object.keys(BUNDLERS)) {
    test(name, async () => {
      if (!built.has(name)) built.set(name, build(name));
      const root = (await built.get(name)) ?? "";
      await withPage({ path: "app/", server: server(root) }, async ({ page, errors }) => {
        await page.waitForFunction(() => document.documentElement.dataset.done);
        assert.match(await page.$eval("html", (html) => html.dataset.done ?? ""), /Morgen/);
        assert.equal(await page.$eval("html", (html) => html.dataset.language), "de");
        assert.ok(Number(await page.$eval("html", (html) => html.dataset.threads)) > 1);
        assert.deepEqual(errors, []);
      });
    });
  }

  // Building it takes a minute, and what it builds does not depend on the browser.
  const isChromium = browserName === "chromium";
  test(
    "Next.js, with and without rendering on the server, and on the server itself",
    { skip: !isChromium },
    async () => {
      const { url, stop } = await startNext();
      try {
        const html = await (await fetch(url)).text();
        assert.match(html, /<p id="text">Good morning\.<\/p>/, "it is rendered on the server");
        assert.doesNotMatch(await (await fetch(`${url}/client`)).text(), /<p id="text">/, "it is not");
        assert.match(await (await fetch(`${url}/api`)).text(), /Morgen/);
        for (const path of ["", "/client"]) {
          await withPage({ path: BLANK }, async ({ page, errors }) => {
            await page.goto(url + path);
            await page.waitForFunction(() => /Morgen|Error/.test(document.querySelector("#text")?.textContent ?? ""));
            assert.match(await page.$eval("#text", (text) => text.textContent ?? ""), /Morgen/);
            assert.deepEqual(errors, []);
          });
        }
      } finally {
        await stop();
      }
    },
  );
});
