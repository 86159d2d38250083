/**
 * Makes the npm package: `node www/tools/package.mjs`. The WebAssembly modules must be built.
 *
 * The library stays as it is, module by module, so that bundlers take what an app uses. What runs in workers is bundled here, each in
 * one file: bundlers then only have to copy files that `assets.js` names.
 */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { PACKAGE } from "./folders.mjs";

const WWW = fileURLToPath(new URL("..", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const MODULES = ["relaxed-simd-threads", "simd128-threads", "relaxed-simd", "simd128", "documents"];

/** What runs in workers, and the library in service workers, each with its platform. @type {[string, "browser" | "node"][]} */
const WORKERS = [
  ["worker/worker.js", "browser"],
  ["worker/language-worker.js", "browser"],
  ["library/service-worker.js", "browser"],
  ["node/worker.js", "node"],
];

/** What is imported for its effect alone: other ways to start the engine. */
const EFFECTS = ["./node/node.js", "./node/bergamot.js", "./node/worker.js", "./library/service-worker.js"];

/** Folders that go into the package bundled rather than as they are. */
const BUNDLED = ["worker", "pkg"];

/**
 * Bundles a script and everything that it imports into one file.
 * @param {string} input
 * @param {import("rolldown").Plugin[]} [plugins]
 * @param {"browser" | "node"} [platform]
 */
async function oneFile(input, plugins = [], platform = "browser") {
  const build = await rolldown({ input, plugins, platform, logLevel: "silent" });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  if (output.length !== 1) throw new Error(`${input} became ${output.length} files`);
  return output[0].code;
}

/** A thread's worker is the module itself, which holds the thread helper too. @type {import("rolldown").Plugin} */
const threadsInOneFile = {
  name: "threads-in-one-file",
  transform(code, id) {
    if (!id.endsWith("workerHelpers.js")) return null;
    const changed = code.replace("new URL('./workerHelpers.js', import.meta.url)", "import.meta.url");
    if (changed === code)
      throw new Error(`${id} has changed: adapt www/tools/package.mjs to how it starts its workers`);
    return { code: changed };
  },
};

/** @param {string} out */
export async function buildPackage(out) {
  await rm(out, { recursive: true, force: true });
  await mkdir(`${out}/worker`, { recursive: true });
  await cp(`${WWW}assets.js`, `${out}/assets.js`);
  for (const name of PACKAGE) {
    if (!BUNDLED.includes(name)) await cp(`${WWW}${name}`, `${out}/${name}`, { recursive: true });
  }
  for (const [name, platform] of WORKERS) {
    await writeFile(`${out}/${name}`, await oneFile(`${WWW}${name}`, [], platform));
  }
  for (const name of MODULES) {
    const folder = `${out}/pkg/${name}`;
    await mkdir(folder, { recursive: true });
    await writeFile(`${folder}/wanderwort.js`, await oneFile(`${WWW}pkg/${name}/wanderwort.js`, [threadsInOneFile]));
    await cp(`${WWW}pkg/${name}/wanderwort_bg.wasm`, `${folder}/wanderwort_bg.wasm`);
  }
  const tsc = `${ROOT}node_modules/.bin/tsc`;
  await promisify(execFile)(tsc, ["--project", `${WWW}tools/package/tsconfig.json`, "--outDir", out]);
  // The types of the module that the worker imports are of no use outside.
  await writeFile(`${out}/pkg/relaxed-simd-threads/wanderwort.d.ts`, "export {};\n");
  await cp(`${WWW}tools/package/README.md`, `${out}/README.md`);
  await cp(`${ROOT}LICENSE`, `${out}/LICENSE`);
  await cp(`${WWW}pkg/language-detector/LICENSE.txt`, `${out}/LICENSE-eld.txt`);
  const { name, version, description, license, engines } = JSON.parse(await readFile(`${ROOT}package.json`, "utf8"));
  const facts = {
    ...{ name, version, description, license, type: "module", sideEffects: EFFECTS },
    ...{ main: "./library/wanderwort.js", types: "./library/wanderwort.d.ts", engines },
    exports: {
      ".": {
        node: { types: "./node/node.d.ts", default: "./node/node.js" },
        default: { types: "./library/wanderwort.d.ts", default: "./library/wanderwort.js" },
      },
      "./service-worker": { types: "./library/service-worker.d.ts", default: "./library/service-worker.js" },
      "./bergamot": {
        node: { types: "./node/bergamot.d.ts", default: "./node/bergamot.js" },
        default: { types: "./bergamot/bergamot.d.ts", default: "./bergamot/bergamot.js" },
      },
      // For bundlers that have to be told where the files lie.
      "./worker/worker.js": "./worker/worker.js",
      "./worker/language-worker.js": "./worker/language-worker.js",
      "./pkg/*": "./pkg/*",
      "./package.json": "./package.json",
    },
    // For versions of TypeScript from before there were exports.
    typesVersions: {
      "*": { "service-worker": ["./library/service-worker.d.ts"], bergamot: ["./bergamot/bergamot.d.ts"] },
    },
    keywords: ["translation", "offline", "wasm", "simd", "translator"],
    publishConfig: { access: "public", provenance: true },
  };
  await writeFile(`${out}/package.json`, `${JSON.stringify(facts, null, 2)}\n`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildPackage(`${ROOT}dist/npm`);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--silent", "./npm"], { cwd: `${ROOT}dist` });
  console.log(`  dist/${stdout.trim()}`);
}
