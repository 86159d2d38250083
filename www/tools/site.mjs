/**
 * What the site consists of. `node www/tools/site.mjs [FOLDER [API]]` puts it, the models and a folder of API pages into a folder (`dist/site`) that
 * any static host can serve; the WebAssembly modules must be built.
 *
 * `site.json` beside the page names every file with its SHA-256 and the whole by one fingerprint. With it the service worker
 * (`offline.js`) keeps builds apart: it keeps one only as a whole, even if a host replaces its files one by one.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SITE } from "./folders.mjs";

const WWW = fileURLToPath(new URL("..", import.meta.url));
const MODELS = fileURLToPath(new URL("../../models", import.meta.url));

/** Where the list lies, below the page's own folder. */
export const LIST = "site.json";

/** The folder of the API pages in the site that is built, and the link to them, which the page shows only there. */
const API = "api";
const API_LINK = /(<a id="api"[^>]*) hidden/;
const TYPES = new Set([".css", ".html", ".js", ".svg", ".txt", ".wasm", ".webmanifest"]);

/**
 * @typedef {object} Site
 * @property {string} build names the whole: another file or another byte is another build
 * @property {Record<string, string>} files SHA-256 as hexadecimal digits, by path
 */

/**
 * @param {string} root
 * @param {string[]} folders those of the root that belong to the site
 * @param {string} [folder] below the root, with a slash at its end
 * @returns {Promise<string[]>} paths from the root
 */
async function pathsIn(root, folders, folder = "") {
  const found = await Promise.all(
    (await readdir(join(root, folder), { withFileTypes: true })).map(async (entry) => {
      const path = folder + entry.name;
      if (entry.isDirectory()) {
        return folder === "" && !folders.includes(path) ? [] : pathsIn(root, folders, `${path}/`);
      }
      return TYPES.has(extname(path)) ? [path] : [];
    }),
  );
  return found.flat().sort();
}

/** @param {string | Buffer} bytes */
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * @param {string} [root] the page's folder
 * @param {string[]} [folders]
 * @returns {Promise<Site>}
 */
export async function listSite(root = WWW, folders = SITE) {
  const paths = await pathsIn(root, folders);
  const files = await Promise.all(paths.map(async (path) => [path, digest(await readFile(join(root, path)))]));
  return { build: digest(JSON.stringify(files)).slice(0, 16), files: Object.fromEntries(files) };
}

/**
 * @param {string} out replaced if it is there
 * @param {string} [models] the folder of models that the page offers
 * @param {string} [api] the folder of the API pages, if they are to be included
 */
export async function buildSite(out, models = MODELS, api) {
  await rm(out, { recursive: true, force: true });
  for (const path of Object.keys((await listSite()).files)) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await cp(join(WWW, path), join(out, path));
  }
  if (api !== undefined) {
    await cp(api, join(out, API), { recursive: true });
    const page = await readFile(join(out, "index.html"), "utf8");
    if (!API_LINK.test(page)) throw new Error("index.html has no link to the API pages");
    await writeFile(join(out, "index.html"), page.replace(API_LINK, "$1"));
  }
  const site = await listSite(out, [...SITE, API]);
  await cp(models, join(out, "models"), { recursive: true });
  await writeFile(join(out, LIST), `${JSON.stringify(site, null, 2)}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [out = fileURLToPath(new URL("../../dist/site", import.meta.url)), api] = process.argv.slice(2);
  await buildSite(out, MODELS, api);
  console.log(`  ${out}`);
}
