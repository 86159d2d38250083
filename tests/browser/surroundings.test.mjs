/**
 * Pages in unusual surroundings: shown before they are opened, without an origin, with strict policies, with globals of their own making,
 * and with more than one translator.
 */
import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { fixture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const TEXT = `<h1>The old mill</h1><p id="text">The mill stands at the river.</p>`;

/** Makes a page translate itself, as its own script would. */
const TRANSLATE = `
  import { translatePage } from "/library/wanderwort.js";
  globalThis.answer = translatePage({ sourceLanguage: "en", targetLanguage: "de" }).then(async (live) => {
    globalThis.live = live;
    await live.complete;
    return document.querySelector("#text").textContent;
  });
  answer.catch(() => {});
`;

/** What other pages may read of the server. @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
const readByAll = (_, response) => {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  return false;
};

/** @param {string} body @param {string} [head] */
const html = (body, head = "") =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The mill</title>${head}</head><body>${body}</body></html>`;

/** What came of the translation: what the page shows, or the error. @param {Page} page */
const answerOf = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (globalThis).answer.catch((/** @type {Error} */ { name, message }) => `${name}: ${message}`),
  );

inEveryBrowser("surroundings", ({ name, withPage }) => {
  test("a page that is prerendered", (t) => {
    if (name === "firefox") return t.skip("Firefox prerenders no pages");
    const rules = JSON.stringify({ prerender: [{ urls: ["mill.html"], eagerness: "immediate" }] });
    const pages = {
      "start.html": html(`<a id="link" href="mill.html">The mill</a><script type="speculationrules">${rules}</script>`),
      "mill.html":
        html(`${TEXT}<div style="height:3000px"></div><p id="far">The girl sits on the chair.</p><script type="module">
        const early = document.prerendering;
        ${TRANSLATE}
        const seen = [early];
        fetch("/begun");
        if (early) await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve));
        seen.push(document.prerendering, await answer, document.querySelector("#far").textContent);
        document.querySelector("#text").textContent = "The bread lies on the table.";
        while (!/Brot/.test(document.querySelector("#text").textContent)) await new Promise((resolve) => setTimeout(resolve, 50));
        live.restore();
        seen.push(document.querySelector("#text").textContent);
        await fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
      </script>`),
    };
    /** @type {Record<string, (value?: any) => void>} */
    const tell = {};
    const [begun, seen] = ["/begun", "/seen"].map((path) => new Promise((resolve) => (tell[path] = resolve)));
    /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
    const intercept = async (request, response) => {
      const told = tell[request.url ?? ""];
      if (!told) return false;
      told(request.method === "POST" ? await json(request) : undefined);
      response.end();
      return true;
    };
    return withPage(fixture("start.html", { pages, server: { intercept } }), async ({ page }) => {
      await begun;
      await page.click("#link");
      const [early, late, near, far, changed] = await seen;
      assert.deepEqual([early, late], [true, false]);
      assert.match(near, /Mühle/);
      assert.match(far, /Mädchen/);
      assert.equal(changed, "The bread lies on the table.");
    });
  });

  test("a page in a sandbox, which has no origin", () => {
    const pages = { "mill.html": html(`${TEXT}<script type="module">${TRANSLATE}</script>`) };
    const headers = { "Content-Security-Policy": "sandbox allow-scripts" };
    const options = fixture("mill.html", { pages, headers, server: { intercept: readByAll } });
    return withPage(options, async ({ page, errors }) => {
      assert.match(await answerOf(page), /Mühle/);
      assert.deepEqual(errors, []);
    });
  });

  for (const [policy, expected] of /** @type {[string, RegExp][]} */ ([
    ["", /Mühle/],
    ["trusted-types wanderwort", /Mühle/],
    ["trusted-types *", /Mühle/],
    ["trusted-types a-policy wanderwort 'allow-duplicates'", /Mühle/],
    ["trusted-types default", /Mühle/],
    ["trusted-types a-policy", /^NotSupportedError: .*trusted-types wanderwort/],
    ["trusted-types 'none'", /^NotSupportedError: .*trusted-types wanderwort/],
  ])) {
    test(`trusted types: ${policy || "any policy"}`, (t) => {
      const own = "trustedTypes.createPolicy('default', { createScriptURL: (address) => address })";
      const script = /default/.test(policy) ? `<script>globalThis.trustedTypes && ${own}</script>` : "";
      const pages = { "mill.html": html(`${TEXT}${script}<script type="module">${TRANSLATE}</script>`) };
      const headers = { "Content-Security-Policy": `require-trusted-types-for 'script'; ${policy}` };
      return withPage(fixture("mill.html", { pages, headers }), async ({ page }) => {
        if (!(await page.evaluate(() => "trustedTypes" in globalThis))) {
          return t.skip("this browser has no trusted types");
        }
        assert.match(await answerOf(page), expected);
      });
    });
  }

  for (const [duplicates, allowed] of /** @type {const} */ ([
    ["'allow-duplicates'", true],
    ["", false],
  ])) {
    test(`two copies of the library on a page${allowed ? "" : ", of which the page trusts one"}`, (t) => {
      /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
      const copy = (request) => {
        request.url = request.url?.replace(/^\/copy\//, "/");
        return false;
      };
      const policy = `require-trusted-types-for 'script'; trusted-types wanderwort ${duplicates}`;
      const headers = { "Content-Security-Policy": policy };
      const options = fixture("mill.html", {
        pages: { "mill.html": html(TEXT) },
        headers,
        server: { intercept: copy },
      });
      return withPage(options, async ({ page, errors }) => {
        if (!allowed && !(await page.evaluate(() => "trustedTypes" in globalThis))) {
          return t.skip("this browser has no trusted types");
        }
        const seen = await page.evaluate(async () => {
          const text = () => document.querySelector("#text")?.textContent ?? "";
          const addresses = ["/library/wanderwort.js", "/copy/library/wanderwort.js"];
          const [one, two] = await Promise.all(addresses.map((address) => import(address)));
          const pair = { sourceLanguage: "en", targetLanguage: "de" };
          const first = await one.translatePage(pair);
          await first.complete;
          const seen = [text()];
          try {
            const second = await two.translatePage(pair);
            await second.complete;
            seen.push(text(), first.isActive);
            second.restore();
            seen.push(text());
            first.resume();
            await first.complete;
            seen.push(text(), second.isActive);
          } catch (error) {
            const { name, message } = /** @type {Error} */ (error);
            seen.push(`${name}: ${message}`);
          }
          first.restore();
          return [...seen, text()];
        });
        const [german, english] = ["Die Mühle steht am Fluss.", "The mill stands at the river."];
        if (allowed) assert.deepEqual(seen, [german, german, false, english, german, false, english]);
        else {
          assert.match(seen[1] ?? "", /^NotSupportedError: .*'allow-duplicates'/);
          assert.deepEqual([seen[0], seen[2]], [german, english]);
        }
        assert.deepEqual(errors, []);
      });
    });
  }

  test("a page that takes observers, promises and JSON away, or breaks them, while it is translated", () => {
    const body = `${TEXT}<p id="later"></p><script type="module">${TRANSLATE}</script>`;
    return withPage(fixture("mill.html", { pages: { "mill.html": html(body) } }), async ({ page, errors }) => {
      assert.match(await answerOf(page), /Mühle/);
      await page.evaluate(() => {
        const broken = () => {
          throw new Error("broken");
        };
        const { live } = /** @type {any} */ (globalThis);
        for (const name of ["resolve", "reject", "all", "allSettled", "race"])
          Object.assign(Promise, { [name]: broken });
        Object.assign(JSON, { stringify: broken, parse: broken });
        for (const name of ["MutationObserver", "IntersectionObserver", "Promise", "JSON"]) {
          Reflect.deleteProperty(globalThis, name);
        }
        // A new run makes new observers.
        live.restore();
        live.resume();
        document.querySelector("#later")?.append("The girl sits on the chair.");
      });
      const shown = () => page.evaluate(() => ["#text", "#later"].map((at) => document.querySelector(at)?.textContent));
      const end = Date.now() + 40_000;
      while (!/Mühle.*Mädchen/.test((await shown()).join()) && Date.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 100));
      assert.match((await shown()).join(), /Mühle.*Mädchen/);
      await page.evaluate(() => /** @type {any} */ (globalThis).live.restore());
      assert.deepEqual(await shown(), ["The mill stands at the river.", "The girl sits on the chair."]);
      assert.deepEqual(errors, []);
    });
  });

  test("a page with promises of its own making, and one whose way to a translator fails", () => {
    const body = `${TEXT}<p id="french" lang="fr">Le pain.</p><p id="spanish" lang="es">El pan.</p>`;
    return withPage(fixture("mill.html", { pages: { "mill.html": html(body) } }), async ({ page, errors }) => {
      const troubles = await page.evaluate(async () => {
        const { translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const french = {
          sourceLanguage: "fr",
          targetLanguage: "de",
          translateBlock: () => ({
            result: Promise.resolve({ text: "Das Brot.", places: [0, 0xffffffff, 0, 9] }),
            setPriority() {},
            cancel() {},
          }),
        };
        const live = await translatePage({
          sourceLanguage: "en",
          targetLanguage: "de",
          translatorFor: (/** @type {string} */ language) => {
            if (language === "es") throw new Error("no Spanish");
            return { then: (/** @type {(translator: object) => void} */ resolve) => resolve(french) };
          },
        });
        /** @type {string[]} */
        const troubles = [];
        live.addEventListener("error", (/** @type {ErrorEvent} */ { message }) => troubles.push(message));
        await live.complete;
        return troubles;
      });
      const shown = await page.$$eval("p", (nodes) => nodes.map((node) => node.textContent));
      assert.match(shown[0] ?? "", /Mühle/);
      assert.deepEqual(shown.slice(1), ["Das Brot.", "El pan."]);
      assert.deepEqual(troubles, ["no Spanish"]);
      assert.deepEqual(errors, []);
    });
  });

  for (const [what, script, followed] of /** @type {[string, string, boolean][]} */ ([
    [
      "observers that count their callbacks",
      `for (const name of ["MutationObserver", "IntersectionObserver"]) {
        const Native = globalThis[name];
        globalThis[name] = function (callback, ...rest) {
          return new Native((...records) => callback(...records), ...rest);
        };
      }`,
      true,
    ],
    [
      "a MutationObserver that sees nothing",
      "MutationObserver = class { observe() {} disconnect() {} takeRecords() { return []; } }",
      false,
    ],
    [
      "an IntersectionObserver that sees nothing",
      "IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} }",
      true,
    ],
    ["no animation frames and no idle time", "requestAnimationFrame = requestIdleCallback = () => 1", true],
    [
      "no observers, promises and JSON any more",
      'for (const name of ["MutationObserver", "IntersectionObserver", "Promise", "JSON"]) delete globalThis[name];',
      false,
    ],
    ["promises of its own", "Promise = class extends Promise { then(...rest) { return super.then(...rest); } }", true],
    [
      "ranges that measure nothing",
      "Range = class { selectNodeContents() {} getBoundingClientRect() { return {}; } }",
      true,
    ],
    [
      "old ways of making events",
      "CustomEvent = function (type) { const event = document.createEvent('CustomEvent'); event.initCustomEvent(type, false, false, null); return event; }",
      true,
    ],
    [
      "frozen globals",
      `for (const name of Object.getOwnPropertyNames(window)) {
        if (typeof window[name] !== "function") continue;
        Object.freeze(window[name]);
        if (window[name].prototype) Object.freeze(window[name].prototype);
      }`,
      true,
    ],
  ])) {
    test(`a page that has ${what}`, () => {
      const body = `${TEXT}<p id="later"></p><script type="module">${TRANSLATE}</script>`;
      const pages = { "mill.html": html(body, `<script>${script}</script>`) };
      return withPage(fixture("mill.html", { pages }), async ({ page, errors }) => {
        assert.match(await answerOf(page), /Mühle/);
        const later = () => page.evaluate(() => document.querySelector("#later")?.textContent ?? "");
        await page.evaluate(() => document.querySelector("#later")?.append("The girl sits on the chair."));
        if (followed) {
          const end = Date.now() + 40_000;
          while (!/Mädchen/.test(await later()) && Date.now() < end)
            await new Promise((resolve) => setTimeout(resolve, 100));
          assert.match(await later(), /Mädchen/);
        }
        await page.evaluate(() => /** @type {any} */ (globalThis).live.restore());
        assert.equal(await later(), "The girl sits on the chair.");
        assert.equal(
          await page.evaluate(() => document.querySelector("#text")?.textContent),
          "The mill stands at the river.",
        );
        assert.deepEqual(errors, []);
      });
    });
  }
});
