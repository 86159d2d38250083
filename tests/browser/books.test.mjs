/**
 * Files through the library and on the documents page: books, charsets, progress, cancelling, memory.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { book, partOf } from "./books.mjs";
import { catchSaved, inEveryBrowser } from "./harness.mjs";

/** @typedef {import("puppeteer-core").ElementHandle<HTMLInputElement>} FileInput */

/** Sentences of a long book, none like another. @param {number} chapter @param {number} paragraphs */
const longChapter = (chapter, paragraphs) =>
  Array.from(
    { length: paragraphs },
    (_, i) => `<p>On day ${i + 1} of year ${chapter}, the <b>old man</b> walked ${i + 2} miles to the river.</p>`,
  ).join("\n");

inEveryBrowser("books", ({ withPage }) => {
  test("a book through the library: same archive, other language", () =>
    withPage({}, async ({ page, errors, requests }) => {
      const source = book([["one.xhtml", "<p>The <b>red car</b> is very fast.</p>"]]);
      const result = await page.evaluate(async (numbers) => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads: 1 });
        const before = performance.getEntriesByType("resource").length;
        /** @type {[number, number][]} */
        const told = [];
        const file = new File([Uint8Array.from(numbers)], "one.epub");
        const translated = await translator.translateDocument(file, {
          progress: (/** @type {number} */ done, /** @type {number} */ total) => told.push([done, total]),
        });
        const html = new File([Uint8Array.from([...`<p>Caf`].map((c) => c.charCodeAt(0)).concat(0xe9))], "a.html");
        const page = await (await translator.translateDocument(html)).text();
        /** @param {File} file @param {object} [options] */
        const failure = (file, options) =>
          translator.translateDocument(file, options).then(
            () => "nothing",
            (/** @type {DOMException} */ error) => error.name,
          );
        const failures = [
          await failure(new File(["x"], "picture.png")),
          await failure(new File(["PK"], "broken.epub")),
          await failure(new File(["x"], "a.txt"), { encoding: "no such" }),
          await failure(file, { signal: AbortSignal.abort() }),
        ];
        translator.destroy();
        return {
          bytes: Array.from(new Uint8Array(await translated.arrayBuffer())),
          name: translated.name,
          type: translated.type,
          told,
          page,
          failures,
          before,
        };
      }, Array.from(source));
      assert.deepEqual([result.name, result.type], ["one.epub", "application/epub+zip"]);
      const translated = Uint8Array.from(result.bytes);
      assert.match(partOf(translated, "OEBPS/one.xhtml"), /<p>Das <b>rote Auto<\/b> ist sehr schnell\.<\/p>/);
      assert.match(partOf(translated, "OEBPS/content.opf"), /<dc:language>de<\/dc:language>/);
      assert.equal(partOf(translated, "OEBPS/style.css"), partOf(source, "OEBPS/style.css"));
      const last = result.told.at(-1) ?? [0, 1];
      assert.equal(last[0], last[1]);
      assert.equal(result.page, "<p>Café");
      assert.deepEqual(result.failures, ["NotSupportedError", "DataError", "NotSupportedError", "AbortError"]);
      // The file reader is loaded with the first file.
      assert.ok(requests.some((address) => address.includes("/pkg/documents/")));
      assert.deepEqual(errors, []);
    }));

  test("the module for files is not fetched before there is one", () =>
    withPage({ path: "documents.html" }, async ({ page, requests }) => {
      await page.click("#demonstration");
      await page.waitForFunction(() =>
        /passages translated/.test(document.querySelector("#status")?.textContent ?? ""),
      );
      assert.ok(!requests.some((address) => address.includes("/pkg/documents/")));
    }));

  test("a book of 300 pages on the page, cancelled and saved", { timeout: 600_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
    try {
      // A page of a book has about twelve such paragraphs.
      const chapters = Array.from(
        { length: 12 },
        (_, i) => /** @type {[string, string]} */ ([`c${i}.xhtml`, longChapter(i + 1, 300)]),
      );
      const long = join(folder, "long.epub");
      const short = join(folder, "short.epub");
      await writeFile(long, book(chapters));
      await writeFile(short, book([["one.xhtml", "<p>The house is big.</p>"]]));
      await withPage({ path: "documents.html?beam=1" }, async ({ page, errors }) => {
        await catchSaved(page);
        const input = /** @type {FileInput} */ (await page.$("#file"));
        await input.uploadFile(long);
        await page.waitForFunction(
          () => /** @type {HTMLProgressElement} */ (document.querySelector("#working-bar")).value > 0.02,
          { timeout: 300_000 },
        );
        assert.match(
          await page.$eval("#working-text", (text) => text.textContent ?? ""),
          /Translating long\.epub: \d+/,
        );
        await page.click("#cancel");
        await page.waitForFunction(() => /cancelled/.test(document.querySelector("#status")?.textContent ?? ""));
        assert.equal(await page.$eval("#save", (button) => /** @type {HTMLButtonElement} */ (button).disabled), true);
        // A cancelled file does not stand in the way of the next.
        await input.uploadFile(short);
        await page.waitForFunction(() => /translated in/.test(document.querySelector("#status")?.textContent ?? ""));
        await page.click("#save");
        await page.waitForFunction(() => globalThis.saved !== undefined);
        const [name, numbers] = await page.evaluate(async () => [
          globalThis.saved.name,
          Array.from(new Uint8Array(await globalThis.saved.blob.arrayBuffer())),
        ]);
        assert.equal(name, "short.de.epub");
        assert.match(
          partOf(Uint8Array.from(/** @type {number[]} */ (numbers)), "OEBPS/one.xhtml"),
          /Das Haus ist groß/,
        );
        assert.deepEqual(errors, []);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
