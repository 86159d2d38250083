/**
 * EPUBCheck, the conformance checker of the W3C, says the same of a book before and after translation: of one that is made here, of
 * LibreOffice's, and of those in a folder, with `BOOKS=FOLDER`, such as those of Debian's packages `developers-reference` and
 * `debian-policy`.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { book } from "../browser/books.mjs";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const program = process.env.WANDERWORT ?? join(root, "target/debug/wanderwort");
const jar = process.env.EPUBCHECK ?? "/usr/bin/epubcheck";

/**
 * What EPUBCheck says of a book, without the places in it, which move.
 * @param {string} file
 * @returns {Promise<string[]>}
 */
async function messages(file) {
  const { stdout, stderr } = await run("java", ["-jar", jar, file]).catch((error) => error);
  const lines = `${stdout}${stderr}`.split("\n");
  assert.ok(
    lines.some((line) => line.startsWith("Messages:")),
    `EPUBCheck has not run: ${stderr}`,
  );
  const found = lines.filter((line) => /^(FATAL|ERROR|WARNING|INFO)\(/.test(line));
  return found.map((line) => line.replace(/\(-?\d+,-?\d+\):.*/, "").replaceAll(file, "")).sort();
}

/** @param {string} from @param {string} to */
const translate = (from, to) =>
  run(program, [
    "translate",
    "--beam",
    "1",
    "--model",
    join(root, "models/en-de.tiny.wanderwort"),
    from,
    "--output",
    to,
  ]);

test("a book without a fault has none afterwards", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
  try {
    const chapters = [
      "<p>The <b>old house</b> is <i>very</i> big.<br/>It has a garden &amp; a river.</p>",
      '<p lang="en">One <code>x &lt; y</code> and <a href="a.xhtml">the page before</a>.</p><ul><li>One tree</li></ul>',
    ];
    const [a = "", b = ""] = chapters;
    const file = join(folder, "book.epub");
    await writeFile(
      file,
      book([
        ["a.xhtml", a],
        ["b.xhtml", b],
      ]),
    );
    const translated = join(folder, "buch.epub");
    await translate(file, translated);
    assert.deepEqual(await messages(file), []);
    assert.deepEqual(await messages(translated), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});

for (const books of [join(root, "tests/data/books"), ...(process.env.BOOKS ? [process.env.BOOKS] : [])]) {
  test(`the books of ${books} are no better and no worse afterwards`, async () => {
    const names = (await readdir(books)).filter((name) => name.endsWith(".epub"));
    assert.ok(names.length > 0, `${books} has books`);
    const folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
    try {
      for (const name of names) {
        // EPUBCheck names files by their places, so both are in one.
        const [original, translated] = [join(folder, `original-${name}`), join(folder, name)];
        await copyFile(join(books, name), original);
        await translate(original, translated);
        assert.deepEqual(await messages(translated), await messages(original), name);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
