/**
 * The pieces in which a text is streamed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf } from "../../www/library/chunks.js";

/** Pieces as they have to come. @type {string[][]} */
const CASES = [
  [],
  ["One.\n", "\n", "Two.\r\n", "Three."],
  ["Before\n", "```rust\nlet a = 1;\n~~~\n```\n", "Between\n", "````\n```\nmore\n`````\n", "```\n", "never closed"],
  ["~~~ text\r\none\r\n\r\n~~~\r\n", "Code in a ```line```.\n", "> ```\n> two\n> ```"],
  ["```\n", "~~~\n", "``\n"],
  ["---\ntitle: The big house\n\nauthor: John Smith\n---\n", "---\n", "The house\n", "---\n"],
  ["---\n", "The house"],
  ["The house\n", "---\n", "title: The big house\n", "---\n"],
];

test("a piece is a line, and fenced code and front matter are one", () => {
  for (const chunks of CASES) assert.deepEqual(chunksOf(chunks.join("")), chunks);
});

test("fences without partners cost no more than others", () => {
  const text = Array.from({ length: 50_000 }, (_, i) => `${"`".repeat(3 + (i % 2))}js ${i}\n`).join("");
  const begun = performance.now();
  assert.equal(chunksOf(text).length, 50_000);
  assert.equal(chunksOf("```\n".repeat(100_000)).length, 50_000);
  assert.ok(performance.now() - begun < 5000);
});
