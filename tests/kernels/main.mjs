/**
 * Runs a module of tests/kernels: `node tests/kernels/main.mjs MODULE [bench]`. With `bench` it prints billions of
 * multiply-adds a second by rows × inner × columns.
 */
import { readFile } from "node:fs/promises";
import { bench, load } from "./call.mjs";

const [path, what] = process.argv.slice(2);
if (!path) throw new Error("usage: node tests/kernels/main.mjs MODULE [bench]");
const kernels = await load(await readFile(path));
if (what === "bench") console.log(bench(kernels));
else console.log(`${kernels.backends()}: ${kernels.check(0, 100)} comparisons`);
