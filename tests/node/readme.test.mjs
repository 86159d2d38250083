/**
 * Texts for people: the README stays short, and what they name is there.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A longer README is not read. */
const MOST_LINES = 150;

const RECORD = "benches/record";

const DOCUMENTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "benches/README.md",
  "src/README.md",
  "www/README.md",
  ...readdirSync(join(ROOT, RECORD)).map((name) => `${RECORD}/${name}`),
];

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), "utf8");

/** The names by which links reach a document's headings. @param {string} text */
const anchors = (text) =>
  Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("the README is short", () => {
  const lines = read("README.md").trimEnd().split("\n").length;
  assert.ok(lines <= MOST_LINES, `README.md has ${lines} lines, at most ${MOST_LINES} are wanted`);
});

for (const path of DOCUMENTS) {
  const text = read(path);

  test(`${path}: each link leads somewhere`, () => {
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file, anchor] = target.split("#");
      const to = file === "" ? path : join(dirname(path), file);
      assert.ok(existsSync(join(ROOT, to)), `${path}: no file ${target}`);
      if (anchor) assert.ok(anchors(read(to)).includes(anchor), `${path}: no heading ${target}`);
    }
  });

  test(`${path}: each path named is there`, () => {
    for (const [, named] of text.matchAll(/`((?:benches|models|src|tests|train|www)\/[\w./-]*)`/g)) {
      // Placeholders are in capitals.
      if (/\/[A-Z]+\.\w+$/.test(named) && !/README|FORMAT/.test(named)) continue;
      assert.ok(existsSync(join(ROOT, named)), `${path}: no ${named}`);
    }
  });
}
