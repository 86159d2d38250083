/**
 * The kernels' own comparisons (tests/kernels) as WebAssembly: each module against plain loops, and its floats against
 * the bits that every other processor and engine gives. `build.sh` makes the modules.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

for (const [module, backends] of [
  ["simd128", "portable simd128"],
  ["relaxed-simd", "simd128 relaxed-simd"],
]) {
  test(`kernels as a ${module} module`, { timeout: 300_000 }, async () => {
    // Node 20 and its like have relaxed SIMD behind this flag; later ones still take it.
    const { stdout } = await run(process.execPath, [
      "--experimental-wasm-relaxed-simd",
      "tests/kernels/main.mjs",
      `target/wasm/kernels-${module}.wasm`,
    ]);
    assert.match(stdout, new RegExp(`^${backends}: [1-9][0-9]* comparisons`));
  });
}
