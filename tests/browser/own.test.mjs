/**
 * Models of the reader's own: Marian's files and packages, on the page and through the library.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BLANK, catchSaved, inEveryBrowser } from "./harness.mjs";
import { MARIAN_FOLDER } from "./prototype.mjs";

/** Marian's files without decoding settings, so that their names alone tell their roles. */
const names = readdirSync(MARIAN_FOLDER).filter((name) => /\.(bin|spm)$/.test(name));

/**
 * Drops the model's folder on the page. In Chromium as the system does it; Firefox does not allow that from outside, so there the event
 * carries what its directories look like to a page: entries that come in several batches, the last one empty.
 * @param {import("puppeteer-core").Page} page
 * @param {import("./browsers.mjs").BrowserName} browser
 * @param {string} url where the page finds the files
 */
async function dropFolder(page, browser, url) {
  if (browser === "chromium") {
    const session = await page.createCDPSession();
    const data = { items: [], files: [MARIAN_FOLDER], dragOperationsMask: 1 };
    for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"])) {
      await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
    }
    return;
  }
  const all = readdirSync(MARIAN_FOLDER);
  await page.evaluate(
    async (all, url) => {
      const entries = await Promise.all(
        all.map(async (name) => {
          const file = new File([await (await fetch(url + name)).blob()], name);
          return { isFile: true, file: (/** @type {(file: File) => void} */ resolve) => resolve(file) };
        }),
      );
      const folder = {
        isFile: false,
        createReader() {
          const batches = [entries.slice(0, 2), [...entries.slice(2), { isFile: false }], []];
          return { readEntries: (/** @type {(batch: object[]) => void} */ resolve) => resolve(batches.shift() ?? []) };
        },
      };
      const item = { webkitGetAsEntry: () => folder, getAsFile: () => null };
      const event = new Event("drop", { bubbles: true, cancelable: true });
      Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items: [item] } });
      document.body.dispatchEvent(event);
    },
    all,
    url,
  );
}

/** Where the page finds the folder's files. */
const files = "/marian/";

/** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
const intercept = (request, response) => {
  if (!request.url?.startsWith(files)) return false;
  response.end(readFileSync(join(MARIAN_FOLDER, request.url.slice(files.length))));
  return true;
};

/**
 * Drops the model's files on the page and uses them as a model from British English.
 * @param {import("puppeteer-core").Page} page
 */
async function useOwn(page) {
  const contents = names.map((name) => [name, readFileSync(join(MARIAN_FOLDER, name)).toString("base64")]);
  await page.evaluate(async (contents) => {
    const transfer = new DataTransfer();
    for (const [name = "", content = ""] of contents) {
      const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, contents);
  await page.waitForSelector("#own-dialog[open]");
  await page.$eval("#own-source", (input) => Object.assign(input, { value: "en-GB" }));
  await page.click('#own-dialog button[value="use"]');
  await page.waitForFunction(
    () => document.querySelector("#source-language option:checked")?.textContent === "British English",
  );
}

/**
 * Waits until the translation shown is current and matches.
 * @param {import("puppeteer-core").Page} page
 * @param {RegExp} pattern
 */
const shows = (page, pattern) =>
  page.waitForFunction(
    (source, flags) => {
      const node = document.querySelector("#translation");
      return node?.getAttribute("aria-busy") === "false" && new RegExp(source, flags).test(node.textContent ?? "");
    },
    {},
    pattern.source,
    pattern.flags,
  );

inEveryBrowser("own models", ({ name: browser, withPage }) => {
  test("Marian's files become a package that translates alike", () =>
    withPage({ path: BLANK, server: { models: MARIAN_FOLDER } }, async ({ page }) => {
      const result = await page.evaluate(async (names) => {
        const { Translator, convertModel } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const pair = { sourceLanguage: "en", targetLanguage: "de" };
        const files = await Promise.all(
          names.map(async (name) => new File([await (await fetch(`/models/${name}`)).blob()], name)),
        );
        const text = "Good morning. The weather is nice today.";
        const marian = await Translator.create({ ...pair, files });
        const expected = await marian.translate(text);
        const exact = await convertModel(files, { ...pair, bits: "int8" });
        const own = await Translator.create({ ...pair, files: [new File([exact], "own.wanderwort")] });
        /** @type {number[]} */
        const shares = [];
        const progress = (/** @type {number} */ done, /** @type {number} */ total) => shares.push(done / total);
        const small = await convertModel(files, { ...pair, progress });
        const tiny = await Translator.create({ ...pair, files: [new File([small], "small.wanderwort")] });
        const cut = new File([small.slice(0, small.size - 100)], "cut.wanderwort");
        return {
          expected,
          exact: await own.translate(text),
          small: await tiny.translate(text),
          shares,
          sizes: [files.reduce((sum, file) => sum + file.size, 0), exact.size, small.size],
          cut: await Translator.create({ ...pair, files: [cut] }).catch((/** @type {Error} */ error) => error.message),
          missing: await Translator.create({ ...pair, files: files.slice(0, 1) }).catch(
            (/** @type {Error} */ error) => error.message,
          ),
        };
      }, names);
      assert.match(result.expected, /Morgen/);
      assert.equal(result.exact, result.expected);
      assert.match(result.small, /Morgen/);
      const [files = 0, exact = 0, small = 0] = result.sizes;
      assert.ok(small < exact && exact < files && small < files / 2, `${result.sizes}`);
      assert.match(result.cut, /cut\.wanderwort/);
      assert.match(result.missing, /found/);
      assert.ok(result.shares.length > 20 && (result.shares.at(-1) ?? 0) > 0.9, "conversion tells how far it is");
    }));

  test("compressed files are chosen on the page, used, and translate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
    try {
      const paths = names.map((name) => join(folder, `${name}.gz`));
      names.forEach((name, i) =>
        writeFileSync(paths[i] ?? "", gzipSync(readFileSync(join(MARIAN_FOLDER, name)), { level: 1 })),
      );
      await withPage({}, async ({ page, errors }) => {
        const input = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (
          await page.$("#own-files")
        );
        await input.uploadFile(...paths);
        await page.waitForSelector("#own-dialog[open]");
        assert.deepEqual(
          await page.$$eval("#own-dialog input", (inputs) => inputs.map((input) => input.value)),
          ["en", "de"],
          "the languages are guessed from the names",
        );
        await page.click('#own-dialog button[value="use"]');
        await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
        await page.type("#source", "Good morning.");
        await page.waitForFunction(() => /Morgen/.test(document.querySelector("#translation")?.textContent ?? ""));
        assert.deepEqual(errors, []);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("dropped files are used until the reader goes back to the site's models", () =>
    withPage({}, async ({ page, errors }) => {
      await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
      await useOwn(page);
      await page.type("#source", "Good morning.");
      await page.waitForFunction(() => /Morgen/.test(document.querySelector("#translation")?.textContent ?? ""));
      await page.click("#own-end");
      await page.waitForFunction(
        () => document.querySelector("#source-language option:checked")?.textContent === "English",
      );
      await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
      assert.deepEqual(errors, []);
    }));

  test("with a link the text and the languages stay those of the reader until another link is opened", () =>
    withPage({ path: "#en/de/Good%20morning." }, async ({ page, errors }) => {
      await shows(page, /Morgen/);
      const typed = () => page.$eval("#source", (box) => /** @type {HTMLTextAreaElement} */ (box).value);
      const pair = () =>
        page.$$eval("#source-language, #target-language", (menus) =>
          /** @type {HTMLSelectElement[]} */ (menus).map(({ value }) => value).join(),
        );
      await page.click("#swap");
      await shows(page, /morning/i);
      await page.focus("#source");
      await page.evaluate(() => /** @type {HTMLTextAreaElement} */ (document.querySelector("#source")).select());
      await page.keyboard.type("Gute Nacht.");
      await shows(page, /night/i);
      await useOwn(page);
      await page.click("#own-end");
      assert.deepEqual([await typed(), await pair()], ["Gute Nacht.", "de,en"]);
      await shows(page, /night/i);

      await useOwn(page);
      // The languages of the reader's own model.
      await page.evaluate(() => (location.hash = "#en-GB/de/Good%20morning."));
      await shows(page, /Morgen/);
      assert.equal(await page.$eval("#own-end", (button) => button.checkVisibility()), true);
      await page.evaluate(() => (location.hash = "#de/en/Guten%20Morgen."));
      await shows(page, /morning/i);
      assert.equal(await page.$eval("#own-end", (button) => button.checkVisibility()), false);
      assert.equal(await pair(), "de,en");
      assert.deepEqual(errors, []);
    }));

  test("a package that is cancelled is not saved, and the model in use stays", () =>
    withPage({ server: { intercept } }, async ({ page, errors }) => {
      await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
      await useOwn(page);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      await catchSaved(page);
      await page.evaluate(() => {
        const { names } = Object.assign(globalThis, { names: /** @type {string[]} */ ([]) });
        const { click } = HTMLAnchorElement.prototype;
        HTMLAnchorElement.prototype.click = function () {
          names.push(this.download);
          click.call(this);
        };
        const text = document.querySelector("#loading-text") ?? document.body;
        const cancel = /** @type {HTMLButtonElement} */ (document.querySelector("#loading-cancel"));
        const pause = /** @type {HTMLButtonElement} */ (document.querySelector("#loading-pause"));
        const observer = new MutationObserver(() => {
          if (!text.textContent?.startsWith("Packaging")) return;
          observer.disconnect();
          Object.assign(globalThis, { canPause: pause.checkVisibility() });
          cancel.focus();
          cancel.click();
        });
        observer.observe(text, { childList: true });
      });
      const save = async (/** @type {string} */ source) => {
        await dropFolder(page, browser, files);
        await page.waitForSelector("#own-dialog[open]");
        await page.$eval("#own-source", (input, source) => Object.assign(input, { value: source }), source);
        await page.click('#own-dialog button[value="save"]');
      };
      await save("en");
      await page.waitForFunction(() => /cancelled/.test(document.querySelector("#announcement")?.textContent ?? ""));
      await page.waitForSelector("#loading[hidden]");
      assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).canPause), false);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "source", "the focus is not lost");
      assert.equal(await page.$eval("#problem", (node) => node.checkVisibility()), false);
      await page.keyboard.type(" Good night.");
      await shows(page, /Nacht/);
      await save("en-US");
      await page.waitForFunction(() => /** @type {any} */ (globalThis).names.includes("en-US-de.wanderwort"));
      assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).names), ["en-US-de.wanderwort"]);
      assert.deepEqual(errors, []);
    }));

  test("a folder is dropped and saved as a package, which translates", async () => {
    await withPage({ server: { intercept } }, async ({ page, errors }) => {
      await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
      await catchSaved(page);
      await page.evaluate(() => {
        const shares = Object.assign(globalThis, { shares: new Set() }).shares;
        const bar = /** @type {HTMLProgressElement} */ (document.querySelector("#loading-bar"));
        new MutationObserver(() => shares.add(bar.value)).observe(bar, { attributes: true });
      });
      await dropFolder(page, browser, files);
      await page.waitForSelector("#own-dialog[open]");
      const listed = await page.$eval("#own-list", (list) => list.textContent ?? "");
      for (const name of readdirSync(MARIAN_FOLDER)) assert.ok(listed.includes(name), `${name} in: ${listed}`);
      assert.deepEqual(await page.$$eval("#own-dialog input", (inputs) => inputs.map((input) => input.value)), [
        "en",
        "de",
      ]);
      await page.click('#own-dialog button[value="save"]');
      await page.waitForFunction(() => globalThis.saved !== undefined);
      await page.waitForSelector("#loading", { hidden: true });
      const saved = await page.evaluate(async () => {
        const { name, blob } = globalThis.saved;
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const pair = { sourceLanguage: "en", targetLanguage: "de" };
        const own = await Translator.create({ ...pair, files: [new File([blob], name)] });
        const { shares } = /** @type {any} */ (globalThis);
        return { name, size: blob.size, text: await own.translate("Good morning."), shares: [...shares] };
      });
      assert.equal(saved.name, "en-de.wanderwort");
      assert.match(saved.text, /Morgen/);
      assert.ok(saved.size > 5e6 && saved.size < 9e6, `${saved.size} bytes`);
      assert.ok(saved.shares.length > 10 && Math.max(...saved.shares) > 0.9, `progress: ${saved.shares}`);
      // The site's own model keeps working.
      await page.type("#source", "Good morning.");
      await page.waitForFunction(() => /Morgen/.test(document.querySelector("#translation")?.textContent ?? ""));
      assert.deepEqual(errors, []);
    });
  });

  test("files that are no model are an error that says what is missing", () =>
    withPage({}, async ({ page }) => {
      const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
      try {
        writeFileSync(join(folder, "notes.txt"), "Not a model.");
        const input = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (
          await page.$("#own-files")
        );
        await input.uploadFile(join(folder, "notes.txt"));
        await page.waitForSelector("#own-dialog[open]");
        await page.evaluate(() => {
          for (const id of ["own-source", "own-target"]) {
            /** @type {HTMLInputElement} */ (document.getElementById(id)).value = "en";
          }
        });
        await page.click('#own-dialog button[value="use"]');
        await page.waitForFunction(() => !(/** @type {HTMLElement} */ (document.querySelector("#problem")).hidden));
        const text = await page.$eval("#problem-text", (element) => element.textContent ?? "");
        assert.match(text, /no model found/);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }));
});
