/**
 * Packs the extension for each browser: `node www/tools/extension.mjs`. The WebAssembly modules must be built.
 *
 * In the archive everything is laid out as in `www/`, so nothing is rewritten; only the script for pages is bundled.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { EXTENSION } from "./folders.mjs";
import { manifest } from "./manifest.mjs";

const WWW = fileURLToPath(new URL("..", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** @typedef {"chrome" | "firefox"} Target */

/** Where the engine runs differs: in a document of its own, or in the background page. @type {Record<Target, RegExp>} */
const OTHERS = { chrome: /extension\/background-page\.js$/, firefox: /extension\/offscreen\.\w+$/ };

/**
 * Firefox's extension pages are never isolated: modules with threads would be dead weight. So would the module for files, in every browser,
 * and the language detector, since the browser detects languages for extensions.
 * @param {Target} target
 * @param {string} path
 */
const isNeeded = (target, path) =>
  !/tsconfig\.json$|\.d\.ts$|fingerprint$|pkg\/(documents|language-detector)|extension\/(content|icons|_locales)$/.test(
    path,
  ) &&
  !OTHERS[target].test(path) &&
  !(target === "firefox" && /-threads/.test(path));

/** The script for pages, in one piece. */
async function contentScript() {
  const build = await rolldown({
    input: fileURLToPath(new URL("../extension/content/content.js", import.meta.url)),
    platform: "browser",
  });
  const { output } = await build.generate({ format: "iife" });
  return output[0].code;
}

/**
 * The first model of the list for each pair of languages, with its card, and a list of only these: an archive is to be small.
 * @param {string} folder
 */
async function packModels(folder) {
  const { models, ...rest } = JSON.parse(await readFile(`${ROOT}models/index.json`, "utf8"));
  /** @type {Map<string, any>} */
  const first = new Map();
  for (const model of models) {
    const pair = `${model.source} ${model.target}`;
    if (!first.has(pair)) first.set(pair, model);
  }
  await mkdir(folder, { recursive: true });
  for (const { name, files } of first.values()) {
    const names = files.map((/** @type {{url: string}} */ file) => file.url);
    for (const each of [...names, `${name}.md`]) await cp(`${ROOT}models/${each}`, `${folder}/${each}`);
  }
  await writeFile(`${folder}/index.json`, `${JSON.stringify({ ...rest, models: [...first.values()] }, null, 2)}\n`);
}

/**
 * @param {Target} target
 * @param {string} folder where the unpacked extension goes
 */
async function assemble(target, folder) {
  await rm(folder, { recursive: true, force: true });
  const filter = (/** @type {string} */ path) => isNeeded(target, path);
  await cp(`${WWW}assets.js`, `${folder}/assets.js`);
  for (const name of EXTENSION) await cp(`${WWW}${name}`, `${folder}/${name}`, { recursive: true, filter });
  await cp(`${WWW}extension/_locales`, `${folder}/_locales`, { recursive: true });
  await cp(`${WWW}extension/icons`, `${folder}/icons`, { recursive: true });
  await packModels(`${folder}/models`);
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
    // Python is there for training anyway, and its library can make zip archives.
    const files = await readdir(folder);
    await promisify(execFile)("python3", ["-m", "zipfile", "-c", archive, ...files], { cwd: folder });
    console.log(`  ${archive}`);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildExtension(`${ROOT}dist`);
