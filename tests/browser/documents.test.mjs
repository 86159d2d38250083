/**
 * The page that translates whole documents, and the site without a network.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { catchSaved, inEveryBrowser } from "./harness.mjs";
import { picture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/**
 * Waits until the document shown is translated.
 * @param {Page} page
 * @param {RegExp} pattern
 */
const shows = (page, pattern) =>
  page.waitForFunction(
    (source) => {
      const shown = /** @type {HTMLIFrameElement} */ (document.querySelector("#document")).contentDocument;
      const done = /passages translated/.test(document.querySelector("#status")?.textContent ?? "");
      return done && new RegExp(source).test(shown?.body?.textContent ?? "");
    },
    { polling: 50, timeout: 60_000 },
    pattern.source,
  );

/** @param {Page} page */
const shown = (page) =>
  page.$eval("#document", (frame) => /** @type {HTMLIFrameElement} */ (frame).contentDocument?.body.innerHTML ?? "");

/**
 * @param {Page} page
 * @param {string} type
 * @param {string} content
 * @param {"paste" | "drop"} how
 */
const give = (page, type, content, how) =>
  page.evaluate(
    (type, content, how) => {
      const data = new DataTransfer();
      data.setData(type, content);
      const name = how === "paste" ? "clipboardData" : "dataTransfer";
      const event = new Event(how, { bubbles: true, cancelable: true });
      // Browsers differ in which of these events a script may make.
      Object.defineProperty(event, name, { value: data });
      document.body.dispatchEvent(event);
    },
    type,
    content,
    how,
  );

inEveryBrowser("documents", ({ name, withPage }) => {
  test("the demonstration, its original, and the file saved", () =>
    withPage({ path: "documents.html" }, async ({ page, url, errors, requests }) => {
      await page.setViewport({ width: 1000, height: 900 });
      await catchSaved(page);
      await page.click("#demonstration");
      await shows(page, /Sprache/);
      await picture(page, `documents-${name}`);
      const translated = await shown(page);
      assert.match(translated, /<code>let word = "tea"<\/code>/);
      assert.match(translated, /<span translate="no">Good Hope Tea Company<\/span>/);
      await page.click("#save");
      await page.waitForFunction(() => globalThis.saved !== undefined);
      const file = await page.evaluate(async () => [globalThis.saved.name, await globalThis.saved.blob.text()]);
      assert.equal(file[0], "demonstration.de.html");
      assert.match(file[1] ?? "", /^<!doctype html>\n<html lang="de">[^]*Sprache/);
      assert.doesNotMatch(file[1] ?? "", /class="notranslate"/);
      await page.click("#original");
      assert.match(await shown(page), /travelled from language to language/);
      assert.equal(await page.$eval("#original", (button) => button.getAttribute("aria-pressed")), "true");
      await page.click("#original");
      await page.waitForFunction(() =>
        /Sprache/.test(
          /** @type {HTMLIFrameElement} */ (document.querySelector("#document")).contentDocument?.body.textContent ??
            "",
        ),
      );
      assert.deepEqual(errors, []);
      const foreign = requests.filter((address) => !address.startsWith(url) && !/^(data|blob|about):/.test(address));
      assert.deepEqual(foreign, []);
    }));

  test("files, HTML and plain", async () => {
    const folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
    try {
      const html = join(folder, "letter.html");
      const plain = join(folder, "letter.txt");
      await writeFile(html, "<!doctype html><title>A letter</title><p>The <b>red car</b> is very fast.</p>");
      await writeFile(plain, "The old house is big.\nIt has a garden.\n\nThe river is cold & deep <today>.\n");
      await withPage({ path: "documents.html" }, async ({ page, errors }) => {
        const input = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (await page.$("#file"));
        await input.uploadFile(html);
        await shows(page, /Auto/);
        assert.match(await shown(page), /<p>Das <b>rote Auto<\/b>/);
        await input.uploadFile(plain);
        await shows(page, /Garten/);
        const paragraphs = await shown(page);
        assert.match(paragraphs, /Das alte Haus ist groß\.\n[^<]*Garten/, "line breaks stay");
        assert.equal((paragraphs.match(/<p>/g) ?? []).length, 2, "paragraphs stay");
        assert.deepEqual(errors, []);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("what is pasted or dropped, without its scripts and without a request", () =>
    withPage({ path: "documents.html" }, async ({ page, url, requests }) => {
      await give(
        page,
        "text/html",
        `<p>My <i>brother</i> reads a book.</p><img src="http://localhost:1/tracker.png"><script>top.ran = true</script><img src=x onerror="top.ran = true">`,
        "paste",
      );
      await shows(page, /Bruder/);
      await give(page, "text/plain", "<!doctype html><h1>The weather is good.</h1>", "drop");
      await shows(page, /Wetter/);
      assert.match(await shown(page), /<h1>/);
      await give(page, "text/plain", "The children play in the garden.", "drop");
      await shows(page, /Kinder/);
      assert.equal(await page.evaluate(() => Object(globalThis).ran), undefined);
      const foreign = requests.filter((address) => !address.startsWith(url) && !/^(data|blob|about):/.test(address));
      // Chromium reports requests that its policy has refused; none of them was answered.
      assert.deepEqual(
        foreign.filter((address) => !address.includes("tracker")),
        [],
      );
    }));

  test("can be installed, and opens without a network, documents too", () =>
    withPage({}, async ({ page, url, closeServer }) => {
      const manifest = await page.$eval("link[rel=manifest]", (link) => /** @type {HTMLLinkElement} */ (link).href);
      const facts = await page.evaluate(async (manifest) => (await fetch(manifest)).json(), manifest);
      assert.equal(facts.display, "standalone");
      assert.ok(facts.icons.length > 0 && facts.start_url);
      await page.waitForFunction(() => /works offline/.test(document.querySelector("#engine")?.textContent ?? ""));
      await closeServer();
      await page.goto(`${url}documents.html`, { waitUntil: "load" });
      await page.click("#demonstration");
      await shows(page, /Sprache/);
      await page.goto(url, { waitUntil: "load" });
      await page.type("#source", "Good morning.");
      await page.waitForFunction(() => /Morgen/.test(document.querySelector("#translation")?.textContent ?? ""));
    }));

  test("fit a phone", () =>
    withPage({ path: "documents.html" }, async ({ page }) => {
      await page.setViewport({ width: 390, height: 844 });
      await page.click("#demonstration");
      await shows(page, /Sprache/);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `nothing sticks out (${wide} px)`);
    }));
});
