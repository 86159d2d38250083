/**
 * What a page downloads of the engine: `node benches/sizes.mjs`, for the modules that are built. Sizes in KB, as they are and compressed as
 * hosts compress them.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FOLDER = fileURLToPath(new URL("../www/pkg/", import.meta.url));

/** @param {{length: number}} bytes */
const kilobytes = ({ length }) => Math.round(length / 1000).toLocaleString("en");

console.log("| module | plain | gzip | brotli |");
console.log("| --- | ---: | ---: | ---: |");
for (const name of readdirSync(FOLDER).sort()) {
  const path = `${FOLDER}${name}/wanderwort_bg.wasm`;
  if (!existsSync(path)) continue;
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  const sizes = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes, { params })];
  console.log(`| ${[name, ...sizes.map(kilobytes)].join(" | ")} |`);
}
