/**
 * The page that translates whole documents, and the site without a network.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { faults } from "./axe.mjs";
import { book } from "./books.mjs";
import { catchSaved, inEveryBrowser } from "./harness.mjs";
import { picture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").ElementHandle<HTMLInputElement>} FileInput */
/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

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
 * @param {string} where a selector
 * @returns {Promise<boolean>} whether the page has taken it
 */
const give = (page, type, content, how, where = "body") =>
  page.evaluate(
    (type, content, how, where) => {
      const data = new DataTransfer();
      data.setData(type, content);
      const name = how === "paste" ? "clipboardData" : "dataTransfer";
      const event = new Event(how, { bubbles: true, cancelable: true });
      // Browsers differ in which of these events a script may make.
      Object.defineProperty(event, name, { value: data });
      document.querySelector(where)?.dispatchEvent(event);
      return event.defaultPrevented;
    },
    type,
    content,
    how,
    where,
  );

/** @param {Page} page */
const status = (page) => page.$eval("#status", (node) => node.textContent ?? "");

/** @param {Page} page @param {RegExp} pattern @param {number} [timeout] in milliseconds */
const says = (page, pattern, timeout) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector("#status")?.textContent ?? ""),
    { polling: 50, timeout },
    pattern.source,
  );

/** @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.id);

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

  test("links lead nowhere but within the document", () => {
    /** @type {string[]} */
    const asked = [];
    const intercept = (/** @type {Request} */ request) => {
      if (/mine/.test(request.url ?? "")) asked.push(request.url ?? "");
      return false;
    };
    return withPage({ path: "documents.html", server: { intercept } }, async ({ page, url }) => {
      const links = ["mine.html", "/mine/", "https://example.org/", "documents.html#mine"];
      await give(
        page,
        "text/html",
        `<p>My brother reads a book.</p>${links.map((href) => `<p><a href="${href}">The house</a></p>`).join("")}
        <map name="m"><area href="mine.html" shape="rect" coords="0,0,50,50"></map>
        <p><a id="near" href="#far%20away">The garden</a></p><div style="height: 4000px"></div><p id="far away">The river is deep.</p>`,
        "paste",
      );
      await shows(page, /Bruder/);
      const isRefused = () => says(page, /^Links that lead out of the document/);
      /** Clicks on a link of the document or focuses it. @param {number} i @param {"click" | "focus"} action */
      const toLink = (i, action) =>
        page.evaluate(
          (i, action) => {
            const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("#document"));
            const link = frame.contentDocument?.querySelectorAll("a")[i];
            const [outer, inner] = [frame.getBoundingClientRect(), link?.getBoundingClientRect() ?? new DOMRect()];
            Object.assign(document.querySelector("#status") ?? {}, { textContent: "" });
            if (action === "focus") frame.contentWindow?.focus();
            link?.[action]();
            return { x: outer.x + inner.x + inner.width / 2, y: outer.y + inner.y + inner.height / 2 };
          },
          i,
          action,
        );
      for (let i = 0; i < links.length; i++) {
        await toLink(i, "click");
        await isRefused();
      }
      for (const button of /** @type {const} */ (["left", "middle"])) {
        const { x, y } = await toLink(0, "focus");
        await page.mouse.click(x, y, { button });
        await isRefused();
      }
      await toLink(0, "focus");
      await page.keyboard.press("Enter");
      await isRefused();
      await toLink(links.length, "click");
      await page.waitForFunction(() => {
        const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("#document"));
        return (frame.contentWindow?.scrollY ?? 0) > 2000;
      });
      assert.match(await shown(page), /Bruder/, "the document is still there");
      assert.equal(page.url(), `${url}documents.html`);
      assert.deepEqual(asked, []);
      // What finds another way is refused by the policy: in Firefox before anything happens, elsewhere with a page that says so.
      await page.evaluate(() => {
        const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("#document"));
        Object.assign(document.querySelector("#status") ?? {}, { textContent: "" });
        if (frame.contentWindow) frame.contentWindow.location.href = "mine.html";
      });
      if (name === "chromium") await shows(page, /Bruder/);
      assert.match(await shown(page), /Bruder/);
      assert.deepEqual(asked, []);
    });
  });

  test("a document asks for nothing, not even of the site's own host, and is saved as it came", () => {
    /** @type {string[]} */
    const asked = [];
    const intercept = (/** @type {Request} */ request) => {
      if (/mine/.test(request.url ?? "")) asked.push(request.url ?? "");
      return false;
    };
    return withPage({ path: "documents.html", server: { intercept } }, async ({ page }) => {
      await catchSaved(page);
      const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
      await give(
        page,
        "text/html",
        `<!doctype html><html lang="en"><head><link rel="stylesheet" href="mine.css"><link rel="prefetch" href="mine.html">
        <style>@import "mine-too.css"; body { background: url(mine-background.png); color: rgb(1, 2, 3) }</style></head>
        <body><p>My brother reads a book.</p><img src="mine.png"><img srcset="mine-wide.png 2x"><img id="own" src="${dot}">
        <iframe src="mine-frame.html"></iframe><object data="mine-object.svg"></object><embed src="mine-embed.svg">
        <video src="mine.webm" poster="mine-poster.png"></video><svg><image href="mine-image.png"/></svg>
        <input type="image" src="mine-input.png"></body></html>`,
        "paste",
      );
      await shows(page, /Bruder/);
      const own = await page.$eval("#document", async (frame) => {
        const page = /** @type {HTMLIFrameElement} */ (frame).contentDocument;
        const image = /** @type {HTMLImageElement | undefined} */ (page?.querySelector("#own"));
        await image?.decode();
        return [image?.naturalWidth, page?.body && getComputedStyle(page.body).color, page?.compatMode];
      });
      assert.deepEqual(own, [1, "rgb(1, 2, 3)", "CSS1Compat"], "what it carries with it is shown");
      assert.deepEqual(asked, []);
      await page.click("#save");
      await page.waitForFunction(() => globalThis.saved !== undefined);
      const saved = await page.evaluate(() => globalThis.saved.blob.text());
      assert.match(saved, /^<!doctype html>\n<html lang="de"><head><link rel="stylesheet" href="mine\.css">[^]*Bruder/);
    });
  });

  test("a long menu of languages has its name, and its search field takes what is pasted there", () => {
    const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
    const [first] = list.models;
    const others = ["fr", "es", "sv", "pl", "cs", "da", "el", "fi", "hu", "nl", "pt", "ms"];
    const models = ["de", ...others].flatMap((other) => [
      { ...first, name: `en-${other}.same`, target: other },
      { ...first, name: `${other}-en.same`, source: other, target: "en" },
    ]);
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (request.url !== "/models/index.json") return false;
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...list, models }));
      return true;
    };
    return withPage({ path: "documents.html", server: { intercept } }, async ({ page, errors }) => {
      await page.waitForSelector("#target-language-search");
      const names = await page.$$eval("select, input[type=search]", (controls) =>
        /** @type {(HTMLSelectElement | HTMLInputElement)[]} */ (controls).map((control) => [
          control.id,
          control.getAttribute("aria-label") ?? control.labels?.[0]?.textContent?.trim(),
        ]),
      );
      assert.deepEqual(names, [
        ["source-language-search", "Search languages to translate from"],
        ["source-language", "From"],
        ["target-language-search", "Search languages to translate to"],
        ["target-language", "to"],
      ]);
      assert.deepEqual(await faults(page), []);
      for (const how of /** @type {const} */ (["paste", "drop"])) {
        const isTaken = await give(page, "text/plain", "French", how, "#target-language-search");
        assert.equal(isTaken, false, `${how}: the field has it`);
        assert.equal(await page.$eval("#document", (frame) => frame.checkVisibility()), false);
      }
      // A menu has no use for it, and a reader who has just chosen the languages is there.
      assert.equal(await give(page, "text/plain", "My brother reads a book.", "paste", "#target-language"), true);
      await shows(page, /Bruder/);
      assert.deepEqual(errors, []);
    });
  });

  test("what is read out is how a document begins and ends, not how far it is", () =>
    withPage({ path: "documents.html?beam=1" }, async ({ page }) => {
      await page.evaluate(() => {
        const { told } = Object.assign(globalThis, { told: /** @type {string[]} */ ([]) });
        new MutationObserver((records) =>
          told.push(...records.flatMap(({ addedNodes }) => Array.from(addedNodes, (node) => node.textContent ?? ""))),
        ).observe(document.querySelector("#status") ?? document.body, { childList: true });
      });
      const paragraphs = Array.from({ length: 300 }, (_, i) => `<p>My brother has ${i} books.</p>`);
      await give(page, "text/html", paragraphs.join(""), "paste");
      await page.waitForFunction(() => /^\d+%$/.test(document.querySelector("#share")?.textContent ?? ""), {
        polling: "mutation",
      });
      await shows(page, /Bruder/);
      const told = await page.evaluate(() => /** @type {any} */ (globalThis).told);
      assert.equal(told.length, 2, told.join("\n"));
      assert.equal(told[0], "Translating Pasted text…");
      assert.match(told[1], /^Pasted text: 300 passages translated in/);
      assert.equal(await page.$eval("#share", (node) => node.textContent), "");
      assert.equal(await page.$eval("#share", (node) => node.closest("[role=status], [aria-live]")), null);
    }));

  test("a book that is opened before there is a list of models waits for another try, and the focus is not lost", async () => {
    const folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
    const path = join(folder, "short.epub");
    await writeFile(path, book([["one.xhtml", "<p>The house is big.</p>"]]));
    /** Ends the wait for the list. */
    let fail = () => {};
    let isMissing = true;
    let isHeld = true;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (isMissing && request.url === "/models/index.json") {
        fail = () => response.writeHead(500).end();
        return true;
      }
      return isHeld && /\.wanderwort$/.test(request.url ?? "");
    };
    try {
      await withPage({ path: "documents.html", server: { intercept } }, async ({ page, errors }) => {
        const input = /** @type {FileInput} */ (await page.$("#file"));
        await input.uploadFile(path);
        await says(page, /^Translating short\.epub/);
        isMissing = false;
        fail();
        await page.waitForSelector("#problem:not([hidden])");
        assert.match(await page.$eval("#problem", (node) => node.textContent ?? ""), /list of models.*500/s);
        await page.focus("#retry");
        await page.keyboard.press("Enter");
        // The model does not arrive yet, and the reader does not want to wait for it.
        await page.waitForFunction(() => /Loading/.test(document.querySelector("#loading-text")?.textContent ?? ""));
        assert.equal(await focused(page), "open");
        await page.focus("#cancel");
        await page.keyboard.press("Enter");
        // A download that stalls is given up only after 20 seconds, and tried again.
        await says(page, /^short\.epub: cancelled/, 15_000);
        assert.equal(await page.$eval("#working", (node) => node.checkVisibility()), false);
        assert.equal(await focused(page), "open");
        isHeld = false;
        await page.reload();
        await /** @type {FileInput} */ (await page.$("#file")).uploadFile(path);
        await says(page, /^short\.epub: translated in/);
        assert.deepEqual(errors, []);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("of two files that are opened at once the later one is shown, even if it is read first", () =>
    withPage({ path: "documents.html" }, async ({ page }) => {
      await page.evaluate(() => {
        const drop = (/** @type {File} */ file) => {
          const event = new Event("drop", { bubbles: true, cancelable: true });
          Object.defineProperty(event, "dataTransfer", { value: { files: [file], types: ["Files"] } });
          document.body.dispatchEvent(event);
        };
        const [slow, quick] = ["The river is deep.", "My brother reads a book."].map(
          (text, i) => new File([text], `${i}.txt`, { type: "text/plain" }),
        );
        if (!slow || !quick) return;
        const bytes = slow.arrayBuffer();
        const { promise, resolve } = Promise.withResolvers();
        slow.arrayBuffer = () => promise;
        Object.assign(globalThis, { read: async () => resolve(await bytes) });
        drop(slow);
        drop(quick);
      });
      await shows(page, /Bruder/);
      await page.evaluate(() => /** @type {any} */ (globalThis).read());
      assert.match(await status(page), /^1\.txt: /);
      assert.match(await shown(page), /Bruder/);
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
