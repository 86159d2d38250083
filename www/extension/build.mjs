/**
 * Packs the extension for each browser: `node www/extension/build.mjs`. The WebAssembly modules must be built.
 *
 * In the archive everything stands as in `www/`, so nothing is rewritten; only the script for pages is bundled.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { manifest } from "./manifest.mjs";

const WWW = fileURLToPath(new URL("..", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** @typedef {"chrome" | "firefox"} Target */

const LIBRARY = [
  "active-document.js",
  "assets.js",
  "catalogue.js",
  "connection.js",
  "detection.js",
  "environment.js",
  "identity.js",
  "language-detector.js",
  "model-object.js",
  "monitor.js",
  "storage.js",
  "wanderwort.js",
  "web-worker.js",
  "webidl.js",
  "worker.js",
  "worker",
  "page",
  "pkg",
];
const PAGES = [
  "popup.html",
  "popup.js",
  "options.html",
  "options.js",
  "extension.css",
  "permissions.js",
  "messages.js",
];
const ENGINE = ["api.js", "language.js", "settings.js", "known-models.js", "models.js", "engine.js", "background.js"];
const OWN = {
  chrome: [...PAGES, ...ENGINE, "offscreen.html", "offscreen.js"],
  firefox: [...PAGES, ...ENGINE, "background-page.js"],
};

/**
 * Firefox's extension pages are never isolated: modules with threads would be dead weight. So would be the one for files everywhere, and
 * what tells languages, which the browser does for extensions.
 * @param {Target} target
 * @param {string} path
 */
const isNeeded = (target, path) =>
  !/tsconfig\.json$|\.d\.ts$|fingerprint$|pkg\/(?:documents|language-detector)/.test(path) &&
  !(target === "firefox" && /-threads/.test(path));

/** The script for pages, in one piece. */
async function contentScript() {
  const build = await rolldown({ input: fileURLToPath(new URL("content.js", import.meta.url)), platform: "browser" });
  const { output } = await build.generate({ format: "iife" });
  return output[0].code;
}

/**
 * The first model of the list, with its card, and a list of it alone: an archive is to be small.
 * @param {string} folder
 */
async function packModel(folder) {
  const { models, ...rest } = JSON.parse(await readFile(`${ROOT}models/index.json`, "utf8"));
  const [first] = models;
  await mkdir(folder, { recursive: true });
  const names = first.files.map((/** @type {{url: string}} */ file) => file.url);
  for (const name of [...names, `${first.name}.md`]) await cp(`${ROOT}models/${name}`, `${folder}/${name}`);
  await writeFile(`${folder}/index.json`, `${JSON.stringify({ ...rest, models: [first] }, null, 2)}\n`);
}

/**
 * @param {Target} target
 * @param {string} folder where the unpacked extension goes
 */
async function assemble(target, folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(`${folder}/extension`, { recursive: true });
  const filter = (/** @type {string} */ path) => isNeeded(target, path);
  for (const name of LIBRARY) await cp(`${WWW}${name}`, `${folder}/${name}`, { recursive: true, filter });
  for (const name of OWN[target]) await cp(`${WWW}extension/${name}`, `${folder}/extension/${name}`);
  await cp(`${WWW}extension/_locales`, `${folder}/_locales`, { recursive: true });
  await cp(`${WWW}extension/icons`, `${folder}/icons`, { recursive: true });
  await packModel(`${folder}/models`);
  await writeFile(`${folder}/extension/content.js`, await contentScript());
  const { version } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  await writeFile(`${folder}/manifest.json`, `${JSON.stringify(manifest(target, version), null, 2)}\n`);
}

/**
 * Builds both and packs them.
 * @param {string} out
 */
export async function buildExtension(out) {
  for (const target of /** @type {Target[]} */ (["chrome", "firefox"])) {
    const folder = `${out}/extension-${target}`;
    const archive = `${out}/wanderwort-${target}.zip`;
    await assemble(target, folder);
    await rm(archive, { force: true });
    // Python is there for training anyway, and has zip archives in its library.
    const files = ["manifest.json", "_locales", "icons", "extension", "models", ...LIBRARY];
    await promisify(execFile)("python3", ["-m", "zipfile", "-c", archive, ...files], { cwd: folder });
    console.log(`  ${archive}`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildExtension(`${ROOT}dist`);
