/**
 * What a reader can do with a translation on the page, with the mouse and with the keyboard.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./axe.mjs";
import { inEveryBrowser } from "./harness.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/**
 * Opens the page with a text and waits for its translation.
 * @param {Page} page
 * @param {string} text
 * @param {RegExp} translation
 */
async function translated(page, text, translation) {
  await page.type("#source", text);
  await shows(page, translation);
}

/** @param {Page} page @param {RegExp} pattern */
const shows = (page, pattern) =>
  page.waitForFunction(
    (source) => {
      const node = document.querySelector("#translation");
      return node?.getAttribute("aria-busy") === "false" && new RegExp(source).test(node.textContent ?? "");
    },
    {},
    pattern.source,
  );

/** @param {Page} page @param {string} selector */
const textOf = (page, selector) => page.$eval(selector, (node) => node.textContent ?? "");

/** The texts that are lit up under a name. @param {Page} page @param {string} name */
const lit = (page, name) =>
  page.evaluate((name) => Array.from(CSS.highlights.get(name) ?? [], (range) => String(range)).sort(), name);

/**
 * The middle of a text on the page.
 * @param {Page} page
 * @param {string} selector of an element around it
 * @param {string} text
 */
const middleOf = (page, selector, text) =>
  page.evaluate(
    (selector, text) => {
      const walker = document.createTreeWalker(document.querySelector(selector) ?? document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(text) ?? -1;
        if (at < 0) continue;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + text.length);
        const box = range.getBoundingClientRect();
        return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
      }
      throw new Error(`no ${text} in ${selector}`);
    },
    selector,
    text,
  );

/** @param {Page} page @param {string} selector @param {string} text */
async function moveTo(page, selector, text) {
  const { x, y } = await middleOf(page, selector, text);
  await page.mouse.move(x, y);
}

inEveryBrowser("reading", ({ withPage }) => {
  test("words that belong together light up together, from either side", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "The dog sleeps.\nThe cat is big.", /Hund.*Katze/);
      await moveTo(page, "#translation", "Hund");
      assert.deepEqual(await lit(page, "partner"), ["Hund", "dog"]);
      await moveTo(page, "#mirror", "cat");
      assert.deepEqual(await lit(page, "partner"), ["Katze", "cat"]);
      // The text that is lit up lies exactly under the one in the box.
      const boxes = await page.evaluate(() =>
        ["#source", "#mirror"].map((selector) => {
          const node = document.querySelector(selector);
          if (!node) return null;
          const { left, top, width } = node.getBoundingClientRect();
          const { font, padding, whiteSpace, overflowWrap } = getComputedStyle(node);
          return { left, top, width, font, padding, whiteSpace, overflowWrap };
        }),
      );
      assert.deepEqual(boxes[0], boxes[1]);
      await page.mouse.move(1, 1);
      assert.deepEqual(await lit(page, "partner"), []);
      assert.deepEqual(errors, []);
    }));

  test("words that the model was unsure of are marked on request", () =>
    withPage({ path: "?beam=1" }, async ({ page, errors }) => {
      await translated(page, "Good morning. The quaint bric-a-brac was flummoxed by serendipity.", /Morgen/);
      assert.deepEqual(await lit(page, "unsure"), []);
      await page.click("#marks");
      await page.waitForFunction(() => Number(document.querySelector("#translation")?.getAttribute("data-unsure")) > 0);
      const marked = await lit(page, "unsure");
      assert.ok(!marked.includes("Morgen"), `what is sure is not marked: ${marked}`);
      assert.equal(await page.$eval("#marks", (button) => button.getAttribute("aria-pressed")), "true");
      await page.click("#marks");
      assert.deepEqual(await lit(page, "unsure"), []);
      assert.deepEqual(errors, []);
    }));

  test("a word's alternatives, one of them chosen, and taken back", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "Good morning. The old house has a red door.", /Haus/);
      const before = await textOf(page, "#translation");
      const { x, y } = await middleOf(page, "#translation", "alte");
      await page.mouse.click(x, y);
      await page.waitForSelector("#alternatives:popover-open button");
      const words = await page.$$eval("#alternatives strong", (nodes) => nodes.map((node) => node.textContent));
      assert.ok(words.length >= 2 && !words.includes("alte"), words.join());
      assert.equal(new Set(words).size, words.length, "each once");
      await page.click("#alternatives button");
      await page.waitForFunction((text) => document.querySelector("#translation")?.textContent !== text, {}, before);
      const after = await textOf(page, "#translation");
      assert.ok(after.includes(words[0] ?? "?"), `${words[0]} in ${after}`);
      assert.ok(after.startsWith(before.slice(0, before.indexOf("alte"))), "what stands before it stays");
      await page.click("#undo");
      assert.equal(await textOf(page, "#translation"), before);
      assert.equal(await page.$eval("#undo", (button) => /** @type {HTMLElement} */ (button).hidden), true);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "translation");
      assert.deepEqual(errors, []);
    }));

  test("the same by the keyboard", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "The old house has a red door.", /Haus/);
      const before = await textOf(page, "#translation");
      await page.focus("#translation");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      assert.match((await lit(page, "partner")).join(), /alte/);
      assert.match(await textOf(page, "#announcement"), /alte/, "it is read out");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#alternatives:popover-open button");
      await page.keyboard.press("Escape");
      await page.waitForSelector("#alternatives:not(:popover-open)");
      assert.equal(await textOf(page, "#translation"), before);
      await page.keyboard.press("ArrowRight");
      assert.match((await lit(page, "partner")).join(), /Haus/, "the place is kept");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#alternatives:popover-open button");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForFunction((text) => document.querySelector("#translation")?.textContent !== text, {}, before);
      await page.keyboard.down("Control");
      await page.keyboard.press("z");
      await page.keyboard.up("Control");
      assert.equal(await textOf(page, "#translation"), before);
      assert.deepEqual(errors, []);
    }));

  test("a menu that is closed by going to the text leaves the caret there", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "The old house has a red door.", /Haus/);
      const { x, y } = await middleOf(page, "#translation", "alte");
      // Whatever happens at the first time must not last.
      for (const isLast of [false, true]) {
        await page.mouse.click(x, y);
        await page.waitForSelector("#alternatives:popover-open button");
        await page.evaluate(() => {
          const closed = new Promise((resolve) =>
            document.querySelector("#alternatives")?.addEventListener("toggle", resolve, { once: true }),
          );
          Object.assign(globalThis, { menuClosed: closed });
        });
        if (isLast) await page.click("#source");
        else await page.keyboard.press("Escape");
        await page.evaluate(() => /** @type {any} */ (globalThis).menuClosed);
        assert.equal(await page.evaluate(() => document.activeElement?.id), isLast ? "source" : "translation");
      }
      assert.deepEqual(await lit(page, "partner"), []);
      assert.deepEqual(errors, []);
    }));

  test("where there are no other words that is said, and so is what fails", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "The old house has a red door.", /Haus/);
      await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        Translator.prototype.translateFrom = async () => ({ candidates: [] });
      });
      await page.focus("#translation");
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.$eval("#announcement", (node) => /** @type {HTMLElement} */ (node).lang), "de");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#alternatives:popover-open p");
      const said = await page.$eval("#announcement", (node) => [
        node.textContent,
        /** @type {HTMLElement} */ (node).lang,
      ]);
      assert.deepEqual(said, ["The model suggests no other words here.", "en"]);
      assert.equal(await page.$eval("#alternatives", (menu) => menu.closest("[lang]")?.getAttribute("lang")), "en");
      assert.equal(await page.$('[role="menu"] p'), null, "a menu holds nothing but its items");
      assert.deepEqual(await faults(page), []);
      await page.keyboard.press("Escape");
      await page.waitForSelector("#alternatives:not(:popover-open)");
      await page.keyboard.press("ArrowRight");
      assert.match((await lit(page, "partner")).join(), /alte/, "the place is kept");

      await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        Translator.prototype.translateFrom = () => Promise.reject(new Error("the engine is worn out"));
      });
      await page.keyboard.press("Enter");
      await page.waitForSelector("#problem:not([hidden])");
      assert.match(await textOf(page, "#problem"), /translation stopped.*worn out/s);
      assert.deepEqual(errors, []);
    }));

  test("an address carries languages and text", () =>
    withPage({ path: "#en/de/Good%20morning." }, async ({ page, url, errors }) => {
      await shows(page, /Morgen/);
      assert.equal(
        await page.$eval("#source", (box) => /** @type {HTMLTextAreaElement} */ (box).value),
        "Good morning.",
      );
      await page.evaluate(() => (location.hash = "#en/de/Good%20night."));
      await shows(page, /Nacht/);
      await page.type("#source", " 100 %");
      await page.click("#link");
      assert.equal(await page.evaluate(() => location.href), `${url}#en/de/Good%20night.%20100%20%25`);
      assert.deepEqual(errors, []);
    }));

  test("keys do what the buttons do, and what was cleared comes back", () =>
    withPage({}, async ({ page, errors }) => {
      await translated(page, "Good morning.", /Morgen/);
      const press = async (/** @type {import("puppeteer-core").KeyInput} */ key) => {
        await page.keyboard.down("Alt");
        await page.keyboard.down("Shift");
        await page.keyboard.press(key);
        await page.keyboard.up("Shift");
        await page.keyboard.up("Alt");
      };
      const source = () => page.$eval("#source", (box) => /** @type {HTMLTextAreaElement} */ (box).value);
      await press("KeyM");
      assert.equal(await page.$eval("#marks", (button) => button.getAttribute("aria-pressed")), "true");
      await press("KeyC");
      assert.equal(await source(), "");
      await page.keyboard.down("Control");
      await page.keyboard.press("z");
      await page.keyboard.up("Control");
      assert.equal(await source(), "Good morning.");
      await press("KeyC");
      await press("KeyE");
      assert.match(await source(), /lighthouse/);
      await press("KeyL");
      assert.match(await page.evaluate(() => location.hash), /^#en\/de\/The%20old/);
      assert.deepEqual(errors, []);
    }));

  test("axe finds nothing, whatever is shown", () =>
    withPage({}, async ({ page }) => {
      for (const scheme of ["light", "dark"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]).catch(() => {});
        await page.focus("#source");
        await page.evaluate(() => /** @type {HTMLTextAreaElement} */ (document.querySelector("#source"))?.select());
        await translated(page, "The old house has a red door.", /Haus/);
        assert.deepEqual(await faults(page), [], `${scheme}, a translation`);
        const { x, y } = await middleOf(page, "#translation", "alte");
        await page.mouse.click(x, y);
        await page.waitForSelector("#alternatives:popover-open button");
        assert.deepEqual(await faults(page), [], `${scheme}, alternatives`);
        await page.keyboard.press("Escape");
      }
      await page.goto(`${new URL("documents.html", page.url())}`);
      assert.deepEqual(await faults(page), [], "the page for documents");
    }));
});
