/**
 * Documents of rarer kinds (`tests/data/pages`): XHTML, framesets, plain text, a form with everything that can be chosen. And what becomes
 * of a translated page on paper and in reader view.
 */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { inEveryBrowser } from "./harness.mjs";
import { fixture, translate } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const FOLDER = new URL("../data/pages/", import.meta.url);

/** @type {Record<string, string>} */
const pages = {};
for (const name of await readdir(FOLDER)) {
  if (!name.endsWith(".md")) pages[name] = await readFile(new URL(name, FOLDER), "utf8");
}

/** What an element shows, or an attribute of it (`#id@name`); `outer >> inner` looks into a frame. @param {Page} page @param {string} path */
const read = (page, path) =>
  page.evaluate((path) => {
    const [place = "", attribute] = path.split("@");
    let root = /** @type {Document | null} */ (document);
    const steps = place.split(" >> ");
    const last = steps.pop() ?? "";
    for (const step of steps) {
      root = /** @type {HTMLFrameElement | null} */ (root?.querySelector(step) ?? null)?.contentDocument ?? null;
    }
    const element = root?.querySelector(last);
    return (attribute ? element?.getAttribute(attribute) : element?.textContent) ?? "(nothing)";
  }, path);

/** @param {Page} page @param {Record<string, RegExp | string>} expected */
async function check(page, expected) {
  for (const [path, value] of Object.entries(expected)) {
    const seen = await read(page, path);
    if (typeof value === "string") assert.equal(seen, value, path);
    else assert.match(seen, value, path);
  }
}

const restore = (/** @type {Page} */ page) => page.evaluate(() => globalThis.live.restore());
const source = (/** @type {Page} */ page) => page.evaluate(() => new XMLSerializer().serializeToString(document));

inEveryBrowser("kinds of documents", ({ name, withPage }) => {
  test("XHTML", () =>
    withPage(fixture("page.xhtml", { pages }), async ({ page, errors }) => {
      const before = await source(page);
      assert.equal(await page.evaluate(() => document.contentType), "application/xhtml+xml");
      await translate(page);
      await check(page, {
        title: /Bäcker/,
        h1: /Bäcker/,
        "#p": /Ofen.*Stunde/,
        "#p em": /alten Ofen/,
        "#fr": "Le pain est encore chaud.",
        "#gb": /Mühle/,
        "#data": /zwei Töchter/,
        "#form input@value": /Brief/,
        "#form input@title": /Brief/,
      });
      const after = await source(page);
      const error =
        "new DOMParser().parseFromString(new XMLSerializer().serializeToString(document), 'application/xml')";
      assert.equal(await page.evaluate(`${error}.querySelector("parsererror")`), null, "it is well-formed");
      assert.match(after, /<\?xml-model/);
      await restore(page);
      assert.equal(await source(page), before);
      assert.deepEqual(errors, []);
    }));

  test("a frameset, and where its links lead", () =>
    withPage(fixture("frameset.html", { pages }), async ({ page, errors }) => {
      const before = await source(page);
      await translate(page);
      await check(page, {
        title: /Fischer/,
        "frame[name=menu] >> #one": /erste Boot/,
        "#main >> p": /rotes? Segel/,
        // Lines broken by hand are one paragraph.
        "#text >> pre": /Sonne.*drei Söhne.*\n\n.*Abend.*Mutter/s,
      });
      await page.evaluate(() => {
        const menu = /** @type {HTMLFrameElement} */ (document.querySelector("frame[name=menu]"));
        /** @type {HTMLElement} */ (menu.contentDocument?.querySelector("#two")).click();
      });
      await page.waitForFunction(
        () => {
          const main = /** @type {HTMLFrameElement} */ (document.querySelector("#main"));
          return /Brücke/.test(main.contentDocument?.querySelector("p")?.textContent ?? "");
        },
        { polling: 100 },
      );
      await restore(page);
      assert.equal(await source(page), before);
      await check(page, {
        "frame[name=menu] >> #one": "The first boat",
        "#main >> p": "The second boat lies at the bridge.",
        "#text >> pre": pages["text.txt"] ?? "",
      });
      assert.deepEqual(errors, []);
    }));

  test("plain text", () =>
    withPage(fixture("text.txt", { pages }), async ({ page, errors }) => {
      assert.equal(await page.evaluate(() => document.contentType), "text/plain");
      await translate(page);
      const lines = (await read(page, "pre")).trimEnd().split("\n");
      assert.match(lines.join(" "), /^Der Fischer .*Sonne.*Söhne.* {2}(Am Abend|Abends) .*Mutter/);
      const isWider = () => document.documentElement.scrollWidth > innerWidth;
      assert.equal(await page.evaluate(isWider), false, "the browser wraps its lines");
      await restore(page);
      assert.equal(await read(page, "pre"), pages["text.txt"]);
      assert.deepEqual(errors, []);
    }));

  test("what can be chosen, and what is sent", () =>
    withPage(fixture("choices.html", { pages }), async ({ page, errors }) => {
      const before = await source(page);
      const sent = () =>
        page.evaluate(() => {
          const form = /** @type {HTMLFormElement} */ (document.querySelector("#form"));
          return JSON.stringify([...new FormData(form, form.querySelector("#named"))]);
        });
      const sentBefore = await sent();
      await translate(page);
      await check(page, {
        "label:has(#list-input)": /Brot/,
        "#one optgroup@label": /Garten/,
        "#one option": /Schwarze/,
        "#one option[value='w']@label": /Weiße/,
        "#one > option": /Vogel/,
        "#many option": /Antwort/,
        "#image@alt": /Bestellung|Auftrag|Befehl/,
        "#more@value": /Vögel/,
        "#box@value": "I have read the rules",
        "#box-label": /Regeln/,
        "#named": /[Kk]aufen/,
        "#named@value": "Buy now",
        "#bare": /Laden|Geschäft/,
        "#legend": /wohn|leb/,
        "#area": "My own words",
        "#area@placeholder": /Straße/,
        "#details summary": /Laden|Geschäft/,
        "#details p": /jeden Tag/,
        "#dialog p": /löschen/,
        "#dialog button": /Brief|[Bb]ehalt/,
        "#popover": /Kunden/,
        "#caption": /Zimmer/,
        "#th@abbr": /Zimmer|Raum/,
        "#dt": /geöffnet|offen/,
        "#changed": /zwanzig.*fünfzehn.*Euro/,
        "#noscript": "Please switch on scripts.",
      });
      assert.equal(await sent(), sentBefore, "the form sends what it sent");
      await restore(page);
      assert.equal(await source(page), before);
      assert.deepEqual(errors, []);
    }));

  /** A page of which one paragraph is shown only in print, and some parts only on screen. */
  const article = `<!doctype html><html lang="en"><head><title>The mill</title><style>
      @media print { nav, .screen { display: none } .paper { display: block !important } }</style></head>
    <body><nav><a href="#">The way home</a></nav><article><h1>The old mill</h1>
      <p id="a">The mill stands at the river.</p><p id="far" style="margin-top:4000px">The girl sits on the chair.</p>
      <p class="paper" id="paper" style="display:none">This page was printed by the miller.</p></article></body></html>`;

  for (const show of ["translation", "both"]) {
    test(`on paper: ${show}`, () =>
      withPage(fixture("mill.html", { pages: { "mill.html": article } }), async ({ page, errors }) => {
        await translate(page, { show });
        // What the print styles show of what the document holds when the browser prints it.
        const printed = async () => {
          await page.emulateMediaType("print");
          const text = await page.evaluate(() => document.body.innerText);
          await page.emulateMediaType("screen");
          return text;
        };
        if (name === "firefox") {
          // The driver cannot emulate paper in Firefox; its print styles are applied to the screen instead.
          await page.evaluate(() => {
            for (const rule of document.styleSheets[0]?.cssRules ?? []) {
              if (rule instanceof CSSMediaRule) rule.media.mediaText = "all";
            }
          });
        }
        const text = name === "firefox" ? await page.evaluate(() => document.body.innerText) : await printed();
        for (const pattern of [/Mühle steht am Fluss/, /Mädchen sitzt/, /Müller/]) assert.match(text, pattern);
        assert.doesNotMatch(text, /The way home|nach Hause|Heimweg/);
        const original = /The mill stands at the river\.[^]*The girl sits on the chair\.[^]*printed by the miller/;
        if (show === "both") assert.match(text, original);
        else assert.doesNotMatch(text, /The mill stands|The girl sits|miller/);
        // Printing itself changes nothing.
        const before = await page.evaluate(() => document.body.innerHTML);
        assert.ok((await page.pdf()).length > 5000);
        await page.evaluate(() => globalThis.live.complete);
        assert.equal(await page.evaluate(() => document.body.innerHTML), before);
        assert.deepEqual(errors, []);
      }));

    test(`in a reader's view, which copies the document: ${show}`, () =>
      withPage(fixture("mill.html", { pages: { "mill.html": article } }), async ({ page }) => {
        await translate(page, { show });
        const seen = await page.evaluate(() => {
          const copy = new DOMParser().parseFromString(document.documentElement.outerHTML, "text/html");
          return {
            titleLang: copy.querySelector("title")?.lang,
            lang: copy.documentElement.lang,
            title: copy.title,
            paragraphs: [...copy.querySelectorAll("article > p")].map((p) => p.textContent ?? ""),
            scripts: copy.querySelectorAll("script, style:not(head style), template").length,
          };
        });
        assert.equal(seen.lang, show === "both" ? "en" : "de");
        assert.match(seen.title, /Mühle/);
        assert.equal(seen.titleLang, show === "both" ? "de" : "");
        assert.match(seen.paragraphs[0] ?? "", show === "both" ? /^The mill .*Mühle/ : /^Die Mühle steht am Fluss\.$/);
        assert.match(seen.paragraphs[1] ?? "", show === "both" ? /^The girl .*Mädchen/ : /^Das Mädchen/);
        assert.equal(seen.scripts, 0);
      }));
  }
});
