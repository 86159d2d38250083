/**
 * The native engine, whose translations the browsers' must equal.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

export const MODELS = fileURLToPath(new URL("models", root));

/**
 * @param {string[]} lines
 * @returns {string[]}
 */
export function translateNatively(lines) {
  const output = execFileSync(
    fileURLToPath(new URL("target/release/wanderwort", root)),
    ["translate", "--model", `${MODELS}/en-de.prototype`],
    { input: `${lines.join("\n")}\n`, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "inherit"] },
  );
  return output.replace(/\n$/, "").split("\n");
}

/** English sentences of many kinds: the sources of the model's golden translations. */
export function sentences() {
  return readFileSync(new URL("tests/data/proto-ende/golden.tsv", root), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}
