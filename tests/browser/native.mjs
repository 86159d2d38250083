/**
 * The native engine, whose translations the browsers' must equal.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

export const WANDERWORT = fileURLToPath(new URL("target/debug/wanderwort", root));

export const MODELS = fileURLToPath(new URL("models", root));

/** The package that the page loads. */
function listedModel() {
  return `${MODELS}/${JSON.parse(readFileSync(`${MODELS}/index.json`, "utf8")).models[0].files[0].url}`;
}

/**
 * @param {string[]} lines
 * @param {string} [model]
 * @param {string[]} [options]
 * @returns {string[]}
 */
export function translateNatively(lines, model = listedModel(), options = []) {
  const output = execFileSync(WANDERWORT, ["translate", "--model", model, ...options], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["pipe", "pipe", "inherit"],
  });
  return output.replace(/\n$/, "").split("\n");
}

/** English sentences of many kinds: the sources of the model's golden translations. */
export function sentences() {
  return readFileSync(new URL("tests/data/marian-golden/golden.tsv", root), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}
