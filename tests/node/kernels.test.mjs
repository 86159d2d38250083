/**
 * The kernels' own comparisons (tests/kernels) as WebAssembly: each module against plain loops, and its floats against
 * the bits that every other processor and engine gives, compiled both by V8's baseline compiler and by its optimizing one. `build.sh` makes
 * the modules.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

const COMPILERS = ["--liftoff-only", "--no-liftoff"];

/** Node 20 and similar versions have relaxed SIMD behind this flag; later ones still accept it. */
const RELAXED = "--experimental-wasm-relaxed-simd";

/** @param {string} name */
const runs = (name) => ["tests/kernels/main.mjs", `target/wasm/kernels-${name}.wasm`];

for (const compiler of COMPILERS) {
  test(`kernels as a simd128 module, ${compiler}`, { timeout: 300_000 }, async () => {
    const { stdout } = await run(process.execPath, [compiler, ...runs("simd128")]);
    assert.match(stdout, /^simd128: [1-9][0-9]* comparisons/);
  });

  test(`kernels as a relaxed-simd module, ${compiler}`, { timeout: 300_000 }, async () => {
    const options = ["run", "--allow-read", `--v8-flags=${compiler}`];
    const { stdout } = await run("node_modules/.bin/deno", [...options, ...runs("relaxed-simd")]);
    assert.match(stdout, /^relaxed-simd: [1-9][0-9]* comparisons/);
  });
}

test("where the relaxed dot product is computed wrongly, as in Node 20, its module is not chosen", async () => {
  const asks = `import("./www/worker/engine.js").then(({ hasRelaxedSimd }) => console.log(hasRelaxedSimd()))`;
  for (const compiler of COMPILERS) {
    const flags = [RELAXED, compiler];
    const isRight = await run(process.execPath, [...flags, ...runs("relaxed-simd")]).then(
      () => true,
      () => false,
    );
    const { stdout } = await run(process.execPath, [...flags, "--eval", asks]);
    assert.equal(stdout.trim(), String(isRight), compiler);
  }
  const { stdout } = await run(process.execPath, ["--eval", asks]);
  const isKnown = /^v20\./.test(process.version) ? "false" : "true";
  assert.equal(stdout.trim(), isKnown, "without the flag");
});
