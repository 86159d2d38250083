/**
 * Bundles the library that detects languages: `node www/tools/language-detector.mjs`, as a part of the build.
 *
 * `eld` was chosen because, of the small ones that run anywhere, it was right most often in our trial against CLD3, franc, tinyld and lande;
 * its smallest set of n-grams is enough for sentences.
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const LIBRARY = fileURLToPath(new URL("../../node_modules/eld", import.meta.url));
const OUT = fileURLToPath(new URL("../pkg/language-detector", import.meta.url));

const build = await rolldown({ input: "eld/extrasmall", platform: "browser", logLevel: "silent", cwd: LIBRARY });
const { output } = await build.generate({ format: "esm", codeSplitting: false, minify: true });
if (output.length !== 1) throw new Error(`eld became ${output.length} files`);
await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await writeFile(
  `${OUT}/eld.js`,
  `// eld, under the Apache License 2.0: see LICENSE.txt beside this file.\n${output[0].code}`,
);
await cp(`${LIBRARY}/index.d.ts`, `${OUT}/eld.d.ts`);
await cp(`${LIBRARY}/LICENSE`, `${OUT}/LICENSE.txt`);
console.log(`  www/pkg/language-detector: ${Math.round(gzipSync(output[0].code).length / 1000)} KB compressed`);
