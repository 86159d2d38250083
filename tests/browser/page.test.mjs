/**
 * The page as a reader meets it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faults } from "./axe.mjs";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { Hosts, RECORDS, REGISTRY, standIn } from "./hosts.mjs";
import { MODELS } from "./native.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

/** @param {Page} page */
const loaded = (page) =>
  page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));

/**
 * Waits until the translation shown is current and matches.
 * @param {Page} page
 * @param {RegExp} pattern
 */
const shows = (page, pattern) =>
  page.waitForFunction(
    (source, flags) => {
      const node = document.querySelector("#translation");
      const lines = Array.from(node?.children ?? [], (line) => line.textContent);
      return node?.getAttribute("aria-busy") === "false" && new RegExp(source, flags).test(lines.join("\n"));
    },
    {},
    pattern.source,
    pattern.flags,
  );

/** @param {Page} page @param {string} selector */
const text = (page, selector) => page.$eval(selector, (node) => node.textContent ?? "");

/** @param {Page} page */
const problem = (page) => page.waitForSelector("#problem:not([hidden])").then(() => text(page, "#problem"));

inEveryBrowser("page", ({ name, withPage }) => {
  test("translates while one types, and only what changed", () =>
    withPage({}, async ({ page, url, errors, requests }) => {
      await loaded(page);
      assert.equal(await page.evaluate(() => crossOriginIsolated), true);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      await page.evaluate(() => {
        const { prototype } = Worker;
        const { postMessage } = prototype;
        Object.assign(globalThis, { sent: [] });
        prototype.postMessage = function (/** @type {any} */ message) {
          if (message.type === "translate") globalThis.sent.push(message.text);
          postMessage.call(this, message);
        };
      });
      await page.keyboard.press("Enter");
      await page.type("#source", "Good night.");
      await shows(page, /Morgen.*\n.*Nacht/);
      const sent = await page.evaluate(() => globalThis.sent);
      assert.ok(sent.length > 0 && !sent.includes("Good morning."), `only the new line went out: ${sent}`);
      assert.match(await text(page, "#count"), /^4 words$/);
      assert.match(await text(page, "#speed"), /^[\d,]+ words per second$/);
      assert.match(await text(page, "#engine"), /^(relaxed )?SIMD · \d+ threads? · int8 · .*stays on this device/);
      assert.deepEqual(
        await page.$eval("#translation", (node) => [
          node.getAttribute("lang"),
          node.firstElementChild?.getAttribute("dir"),
        ]),
        ["de", "auto"],
      );
      assert.deepEqual(errors, []);
      const foreign = requests.filter((address) => !address.startsWith(url) && !/^(data|blob):/.test(address));
      assert.deepEqual(foreign, [], "nothing is asked of anybody else");
    }));

  test("works with the keyboard alone", () =>
    withPage({}, async ({ page }) => {
      await loaded(page);
      const focused = () => page.evaluate(() => document.activeElement?.id);
      assert.equal(await focused(), "source", "one can type at once");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "example");
      await page.keyboard.press("Enter");
      assert.equal(await focused(), "source", "the focus never gets lost");
      await shows(page, /Berlin/);
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "clear");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "translation", "long translations can be scrolled");
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "copy");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() =>
        /Copied|Selected/.test(document.querySelector("#copy-label")?.textContent ?? ""),
      );
      await page.keyboard.down("Shift");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.up("Shift");
      assert.equal(await focused(), "clear");
      await page.keyboard.press("Enter");
      await shows(page, /^$/);
      assert.equal(await focused(), "source");
    }));

  test("tells screen readers what is what", () =>
    withPage({}, async ({ page }) => {
      await loaded(page);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      await page.waitForFunction(() => /Morgen/.test(document.querySelector("#announcement")?.textContent ?? ""));
      const voice = () => page.$eval("#announcement", (node) => /** @type {HTMLElement} */ (node).lang);
      assert.equal(await voice(), "de", "read with the translation's voice");
      await page.click("#copy");
      await page.waitForFunction(() =>
        /Copied|Selected/.test(document.querySelector("#announcement")?.textContent ?? ""),
      );
      assert.equal(await voice(), "en");
      const unnamed = await page.$$eval("button, textarea, select, progress", (nodes) =>
        nodes
          .filter((node) => {
            const labels = "labels" in node ? Array.from(/** @type {any} */ (node).labels ?? []) : [];
            const by = node.getAttribute("aria-labelledby");
            const named = [...labels, by && document.getElementById(by), node].some(
              (label) => label instanceof HTMLElement && label.textContent?.trim(),
            );
            return !named && !(node instanceof HTMLProgressElement);
          })
          .map((node) => node.outerHTML),
      );
      assert.deepEqual(unnamed, [], "every control has a name");
      if (name === "chromium") {
        const tree = JSON.stringify(await page.accessibility.snapshot(), ["children", "role", "name"]);
        assert.match(tree, /"role":"textbox","name":"Text to translate, in English"/);
        assert.match(tree, /"role":"group","name":"Translation, in German"/);
      }
    }));

  test("fits a phone", () =>
    withPage({}, async ({ page }) => {
      await page.setViewport({ width: 390, height: 844 });
      await loaded(page);
      await page.type("#source", `The house is big. ${"x".repeat(120)}`);
      await shows(page, /Haus/);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `nothing sticks out (${wide} px)`);
    }));

  test("translates on one thread where the page is not isolated", () =>
    withPage({ server: { isolated: false } }, async ({ page, errors }) => {
      await loaded(page);
      assert.equal(await page.evaluate(() => crossOriginIsolated), false);
      assert.match(await text(page, "#engine"), /1 thread /);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      assert.deepEqual(errors, []);
    }));

  test("goes on with one thread if the others do not start", () =>
    withPage(
      {
        path: "?threads=2",
        server: {
          intercept: (request, response) => {
            if (!/-threads\//.test(request.url ?? "")) return false;
            response.writeHead(404).end();
            return true;
          },
        },
      },
      async ({ page }) => {
        await loaded(page);
        assert.match(await text(page, "#engine"), /1 thread /);
      },
    ));

  test("says what to do when a model is missing, and tries again", () => {
    let missing = true;
    return withPage(
      {
        server: {
          intercept: (request, response) => {
            if (!missing || !/\.(spm|wanderwort)$/.test(request.url ?? "")) return false;
            response.writeHead(404).end();
            return true;
          },
        },
      },
      async ({ page, errors }) => {
        const message = await problem(page);
        assert.match(message, /English–German model could not be loaded/);
        assert.match(message, /404/);
        assert.match(message, /try again/i);
        missing = false;
        await page.click("#retry");
        await loaded(page);
        await page.waitForSelector("#problem[hidden]", { hidden: true });
        await page.type("#source", "Good morning.");
        await shows(page, /Morgen/);
        assert.deepEqual(errors, []);
      },
    );
  });

  test("offers the models of a pair, and remembers the choice", () => {
    /** The list's first package under two names. */
    const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
    list.models = ["small", "large"].map((name) => ({ ...list.models[0], name, note: `This is the ${name} one.` }));
    const server = {
      intercept: (/** @type {Request} */ request, /** @type {Response} */ response) => {
        if (request.url !== "/models/index.json") return false;
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(list));
        return true;
      },
    };
    const runs = (/** @type {Page} */ page, /** @type {string} */ name) =>
      page.waitForFunction(
        (note) => document.querySelector("#note")?.textContent === note,
        {},
        `This is the ${name} one.`,
      );
    return withPage({ server }, async ({ page, url, errors }) => {
      await runs(page, "small");
      const options = await page.$$eval("#model option", (found) => found.map((option) => option.textContent));
      assert.match(options.join(), /^small · \d\.\d MB,large · \d\.\d MB$/);
      // Of different sizes, the smallest and the largest are labelled.
      const told = await page.evaluate(async () => {
        const { offerModels } = await import(/** @type {any} */ ("/site/parts.js"));
        const select = document.createElement("select");
        const model = (/** @type {number} */ size) => ({
          name: `m${size}`,
          files: [{ size: size * 1e6, sources: [] }],
        });
        offerModels(select, [model(40), model(8), model(20)], "m20");
        return [select.value, ...[...select.options].map(({ text }) => text)];
      });
      assert.deepEqual(told, [
        "m20",
        "Higher quality · m40 · 40.0 MB",
        "Smaller and faster · m8 · 8.0 MB",
        "m20 · 20.0 MB",
      ]);
      assert.equal(await page.$eval("#model", (select) => select.checkVisibility()), true);
      await page.type("#source", "Good morning.");
      await page.select("#model", "large");
      await runs(page, "large");
      await shows(page, /Morgen/);
      await page.reload();
      await runs(page, "large");
      assert.equal(await page.$eval("#model", (select) => /** @type {HTMLSelectElement} */ (select).value), "large");
      await page.goto(`${url}?model=small`);
      await runs(page, "small");
      await page.goto(`${url}?model=gone`);
      await runs(page, "large");
      assert.deepEqual(errors, []);
    });
  });

  test("a long menu of languages is searched, by their names in both languages", () => {
    const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
    const [first] = list.models;
    const targets = ["de", "fr", "es", "sv", "pl", "cs", "da", "el", "fi", "hu", "nl", "pt", "ms", "ml"];
    const models = targets.map((target) => ({ ...first, name: `en-${target}.same`, target }));
    const server = {
      intercept: (/** @type {Request} */ request, /** @type {Response} */ response) => {
        if (request.url !== "/models/index.json") return false;
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...list, models }));
        return true;
      },
    };
    return withPage({ server }, async ({ page, errors }) => {
      await loaded(page);
      assert.equal(await page.$("#source-language-search"), null, "one language needs no search");
      const chosen = () => page.$eval("#target-language", (select) => /** @type {HTMLSelectElement} */ (select).value);
      const search = async (/** @type {string} */ wanted) => {
        await page.$eval("#target-language-search", (field) => {
          /** @type {HTMLInputElement} */ (field).value = "";
        });
        await page.type("#target-language-search", wanted);
        await page.keyboard.press("Enter");
        return chosen();
      };
      const names = { swed: "sv", FRANCAIS: "fr", suomi: "fi", pl: "pl", Malay: "ms" };
      for (const [wanted, expected] of Object.entries(names)) assert.equal(await search(wanted), expected, wanted);
      // A text that is in the names of several languages leaves the choice as it is, and the field says so.
      assert.equal(await search("ish"), "ms");
      assert.equal(await page.$eval("#target-language-search", (field) => field.matches(":invalid")), true);
      await loaded(page);
      assert.deepEqual(await faults(page), []);
      assert.deepEqual(errors, []);
    });
  });

  test("says what is wrong with a list of models", () =>
    withPage(
      {
        server: {
          intercept: (request, response) => {
            if (!request.url?.endsWith("/index.json")) return false;
            response.writeHead(200, { "Content-Type": "application/json" }).end('{"version": 7, "models": []}');
            return true;
          },
        },
      },
      async ({ page }) => {
        assert.match(await problem(page), /version 7/);
      },
    ));

  test("a download is paused and goes on, is cancelled and tried again", () => {
    const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
    const place = `/models/${list.models[0].files[0].url}`;
    const bytes = readFileSync(new URL(`../..${place}`, import.meta.url));
    let halts = true;
    /** @type {string[]} */
    const ranges = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (request.url !== place) return false;
      ranges.push(request.headers.range ?? "");
      if (!halts) return false;
      // The second half never arrives, nor does anything that is requested then.
      if (ranges.length === 1) {
        response.writeHead(200, { "Content-Length": bytes.length });
        response.write(bytes.subarray(0, bytes.length / 2));
      }
      return true;
    };
    return withPage({ server: { intercept } }, async ({ page }) => {
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector("#loading-bar")).value > 0.45);
      // Wait until the parts are stored.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await page.click("#loading-pause");
      assert.match(await text(page, "#loading-text"), /^Paused\. /);
      assert.equal(await text(page, "#loading-pause"), "Continue");
      assert.equal(await page.$eval("#problem", (node) => node.checkVisibility()), false);
      assert.equal(ranges.length, 1);
      await page.click("#loading-pause");
      await page.waitForFunction(() => /^Loading/.test(document.querySelector("#loading-text")?.textContent ?? ""));
      assert.equal(await text(page, "#loading-pause"), "Pause");
      for (const end = Date.now() + 10_000; ranges.length < 2 && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await page.click("#loading-cancel");
      assert.match(await problem(page), /cancelled.*kept/s);
      assert.equal(await page.$eval("#loading", (node) => node.checkVisibility()), false);
      halts = false;
      await page.click("#retry");
      await loaded(page);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      assert.equal(ranges.length, 3);
      for (const range of ranges.slice(1)) {
        assert.ok(Number(/^bytes=(\d+)-$/.exec(range)?.[1]) > bytes.length * 0.3, `${ranges}`);
      }
    });
  });

  test("swapping the languages takes the translation along, and without one keeps what was typed", () => {
    let isHeld = true;
    const intercept = (/** @type {Request} */ request) => isHeld && /de-en\S*\.wanderwort$/.test(request.url ?? "");
    return withPage({ server: { intercept } }, async ({ page, errors }) => {
      await loaded(page);
      const pair = () =>
        page.$$eval("#source-language, #target-language", (menus) =>
          /** @type {HTMLSelectElement[]} */ (menus).map(({ value }) => value).join(),
        );
      const typed = () => page.$eval("#source", (box) => /** @type {HTMLTextAreaElement} */ (box).value);
      // Within the pause after the last letter.
      await page.$eval("#source", (box) => {
        /** @type {HTMLTextAreaElement} */ (box).value = "Good morning.\n\nGood night.";
        box.dispatchEvent(new Event("input"));
        /** @type {HTMLButtonElement} */ (document.querySelector("#swap")).click();
      });
      assert.deepEqual([await typed(), await pair()], ["Good morning.\n\nGood night.", "de,en"]);
      // While there is no model.
      await page.click("#swap");
      assert.deepEqual([await typed(), await pair()], ["Good morning.\n\nGood night.", "en,de"]);
      await shows(page, /Morgen[^]*\n\n[^]*Nacht/);
      await page.click("#swap");
      const german = await typed();
      assert.match(german, /Morgen[^]*\n\n[^]*Nacht/);
      // After loading has ended without a model.
      await page.click("#loading-cancel");
      await problem(page);
      await page.click("#swap");
      assert.deepEqual([await typed(), await pair()], [german, "en,de"]);
      isHeld = false;
      await page.click("#swap");
      await shows(page, /morning[^]*\n\n[^]*night/i);
      assert.deepEqual(errors, []);
    });
  });

  test("the search for models is cancelled, fails and succeeds without touching the text", () => {
    /** What becomes of the request for the list. @type {"fails" | "waits" | "is answered"} */
    let list = "fails";
    let answer = () => {};
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (request.url !== "/models/index.json" || list === "is answered") return false;
      if (list === "fails") response.writeHead(500).end();
      else answer = () => response.end(readFileSync(`${MODELS}/index.json`));
      return true;
    };
    return withPage({ path: "#de/en/Guten%20Morgen.", server: { intercept } }, async ({ page, errors, requests }) => {
      assert.match(await problem(page), /list of models.*500/s);
      const typed = () => page.$eval("#source", (box) => /** @type {HTMLTextAreaElement} */ (box).value);
      assert.equal(await typed(), "Guten Morgen.", "the text needs no list");
      await page.focus("#source");
      await page.evaluate(() => /** @type {HTMLTextAreaElement} */ (document.querySelector("#source")).select());
      await page.keyboard.type("Gute Nacht.");
      list = "waits";
      await page.click("#retry");
      await page.waitForSelector("#loading:not([hidden])");
      assert.equal(await text(page, "#loading-text"), "Looking for models…");
      assert.equal(await page.$eval("#loading-pause", (button) => button.checkVisibility()), false);
      await page.click("#loading-cancel");
      assert.match(await problem(page), /cancelled/);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "retry");
      const arrived = page.waitForResponse((response) => response.url().endsWith("/models/index.json"));
      answer();
      await (await arrived).text();
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      assert.match(await problem(page), /cancelled/, "the list that comes too late changes nothing");
      assert.ok(!requests.some((address) => address.endsWith(".wanderwort")));
      list = "is answered";
      await page.click("#retry");
      await shows(page, /night/i);
      assert.equal(await typed(), "Gute Nacht.");
      assert.deepEqual(errors, []);
    });
  });

  test("the focus goes on to the text if the bar goes while one of its buttons has it", () => {
    /** @type {(() => void)[]} */
    const held = [];
    let isHeld = true;
    const intercept = async (/** @type {Request} */ request) => {
      if (/\.wanderwort$/.test(request.url ?? "") && isHeld) await new Promise((go) => held.push(() => go(undefined)));
      return false;
    };
    return withPage({ server: { intercept } }, async ({ page, errors }) => {
      await page.waitForFunction(() => /^Loading/.test(document.querySelector("#loading-text")?.textContent ?? ""));
      await page.focus("#loading-pause");
      await page.keyboard.press("Enter");
      assert.equal(await text(page, "#loading-pause"), "Continue");
      assert.equal(await page.evaluate(() => document.activeElement?.id), "loading-pause");
      isHeld = false;
      for (const go of held) go();
      await page.keyboard.press("Enter");
      await loaded(page);
      assert.equal(await page.$eval("#loading", (node) => node.checkVisibility()), false);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "source");
      assert.deepEqual(errors, []);
    });
  });

  test("says once that it works offline, however often a translator is used again", () => {
    /** @type {(() => void)[]} */
    const held = [];
    let isHeld = true;
    const intercept = async (/** @type {Request} */ request) => {
      if (isHeld && request.url === "/site.json") await new Promise((go) => held.push(() => go(undefined)));
      return false;
    };
    return withPage({ server: { intercept } }, async ({ page, errors }) => {
      await loaded(page);
      const isAt = (/** @type {string} */ language) =>
        page.waitForFunction(
          (language) =>
            document.querySelector("#loading")?.hasAttribute("hidden") &&
            /** @type {HTMLSelectElement} */ (document.querySelector("#source-language")).value === language,
          {},
          language,
        );
      for (const language of ["de", "en"]) {
        await page.click("#swap");
        await isAt(language);
      }
      for (const end = Date.now() + 10_000; held.length < 3 && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const answers = page.evaluate(
        () =>
          new Promise((resolve) => {
            const count = () => performance.getEntriesByType("resource").filter(({ name }) => /site\.json$/.test(name));
            const look = () => (count().length >= 3 ? resolve(undefined) : setTimeout(look, 20));
            look();
          }),
      );
      isHeld = false;
      for (const go of held) go();
      await answers;
      await page.waitForFunction(() => /works offline/.test(document.querySelector("#engine")?.textContent ?? ""));
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.evaluate(async () => {
        const { keepForOffline } = await import(/** @type {any} */ ("/site/keep.js"));
        await keepForOffline("documents");
      });
      assert.equal((await text(page, "#engine")).match(/works offline/g)?.length, 1);
      assert.deepEqual(errors, []);
    });
  });

  test("keeps what was typed before the model was there", () =>
    withPage({}, async ({ page }) => {
      await page.type("#source", "Good morning.");
      await loaded(page);
      await shows(page, /Morgen/);
    }));

  test("a text in another language than the one that is translated from: it says so, and offers that one", () => {
    const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
    const [first] = list.models;
    const models = [first, { ...first, name: "fr-de.same", source: "fr" }];
    const server = {
      intercept: (/** @type {Request} */ request, /** @type {Response} */ response) => {
        if (request.url !== "/models/index.json") return false;
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ...list, models }));
        return true;
      },
    };
    return withPage({ server }, async ({ page, errors, requests }) => {
      await loaded(page);
      await page.type("#source", "Good morning.");
      await shows(page, /Morgen/);
      assert.ok(!requests.some((url) => /language-worker/.test(url)), "nothing tells languages before it is wanted");
      const paste = (/** @type {string} */ text) =>
        page.$eval(
          "#source",
          (box, text) => {
            /** @type {HTMLTextAreaElement} */ (box).value = text;
            box.dispatchEvent(new Event("input"));
          },
          text,
        );
      const hint = () =>
        page.waitForSelector("#other-language:not([hidden])").then(() => text(page, "#other-language-text"));
      await paste("Vandaag schijnt de zon en we gaan met z'n allen een wandeling maken.");
      assert.equal(await hint(), "This looks like Dutch, but it is being translated from English.");
      assert.equal(
        await page.$eval("#other-language-change", (button) => button.hasAttribute("hidden")),
        true,
        "no model for it",
      );
      await paste("Aujourd'hui, il fait beau et nous allons nous promener tous ensemble.");
      await page.waitForFunction(() =>
        /French/.test(document.querySelector("#other-language-text")?.textContent ?? ""),
      );
      await page.click("#other-language-change");
      await page.waitForFunction(() => /** @type {any} */ (document.querySelector("#source-language")).value === "fr");
      await page.waitForSelector("#other-language[hidden]");
      await loaded(page);
      await paste("Today the sun shines, and we are all going for a walk together.");
      assert.equal(await hint(), "This looks like English, but it is being translated from French.");
      await paste("short");
      await page.waitForSelector("#other-language[hidden]");
      assert.deepEqual(errors, []);
    });
  });

  test("of two models in a row each can be chosen, and the choice is the pair's own", () => {
    const hosts = new Hosts();
    const small = { architecture: "tiny", inRegistry: false };
    hosts.publish("fr", "en", standIn("fren"), small);
    hosts.publish("fr", "en", standIn("fren", 1000), { ...small, architecture: "base-memory", version: "3.1" });
    const own = JSON.parse(readFileSync(`${MODELS}/index.json`, "utf8"));
    const models = ["small", "large"].map((name) => ({ ...own.models[0], name, note: `This is the ${name} one.` }));
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (hosts.intercept(request, response)) return true;
      if (request.url !== "/models/index.json") return false;
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ ...own, models, more: [RECORDS] }));
      return true;
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page, url, errors }) => {
      hosts.origin = url.replace(/\/$/, "");
      await page.evaluate(() => localStorage.setItem("wanderwort more languages", "yes"));
      /** What the menus say about the models once they run; French ones have no notes. @param {string} english @param {...string} menus */
      const runs = async (english, ...menus) => {
        await page.waitForFunction(
          (expected) =>
            document.querySelector("#loading")?.hasAttribute("hidden") &&
            document.querySelector("#note")?.textContent === expected,
          {},
          `This is the ${english} one.`,
        );
        const shown = await page.$$eval("#model, #second-model", (found) =>
          /** @type {HTMLSelectElement[]} */ (found)
            .filter((select) => select.checkVisibility())
            .map((select) => {
              const label = /** @type {HTMLLabelElement | undefined} */ (select.labels?.[0]);
              return `${label?.classList.contains("hidden") ? "" : label?.textContent} ${select.value}`.trim();
            }),
        );
        assert.deepEqual(shown, menus);
      };
      const [french, english] = ["French–English model fr-en", "English–German model"];
      const fromFrench = async () => {
        await page.select("#source-language", "fr");
        await page.select("#target-language", "de");
      };
      /** How many models' weights were asked for; an interrupted download continues. */
      const weights = () =>
        new Set(hosts.takeFileRequests().flatMap((path) => /^\S+model\S+/.exec(path)?.[0] ?? [])).size;

      await page.goto(url);
      await runs("small", "small");
      await fromFrench();
      await runs("small", `${french}.base-memory`, `${english} small`);
      assert.deepEqual(await faults(page), []);
      assert.equal(weights(), 1);
      await page.select("#second-model", "large");
      await runs("large", `${french}.base-memory`, `${english} large`);
      assert.equal(weights(), 0);
      await page.select("#model", "fr-en.tiny");
      await page.waitForSelector("#loading:not([hidden])");
      await runs("large", `${french}.tiny`, `${english} large`);
      assert.equal(weights(), 1);
      await page.type("#source", "I have a dog.");
      await shows(page, /Hund/);

      await page.reload();
      // The pair's own model is the one that was chosen on the way.
      await runs("large", "large");
      await fromFrench();
      await runs("large", `${french}.tiny`, `${english} large`);
      await page.goto(`${url}?model=small`);
      await runs("small", "small");
      await fromFrench();
      await runs("small", `${french}.tiny`, `${english} small`);
      // What is chosen on the page takes precedence over the address.
      await page.select("#second-model", "large");
      await runs("large", `${french}.tiny`, `${english} large`);
      assert.equal(weights(), 0);
      await page.goto(`${url}documents.html`);
      await page.waitForFunction(() => document.querySelectorAll("#source-language option").length === 2);
      await fromFrench();
      await page.waitForFunction(() => document.querySelector("#loading")?.hasAttribute("hidden"));
      assert.equal(weights(), 0);
      assert.deepEqual(errors, []);
    });
  });

  test("more languages are looked up when the reader asks, downloaded when chosen, kept, and deleted", () => {
    const hosts = new Hosts();
    hosts.publish("fr", "en", standIn("fren"));
    hosts.publish("en", "ar", standIn("enar", 1));
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (hosts.intercept(request, response)) return true;
      if (request.url !== "/models/index.json") return false;
      const own = JSON.parse(readFileSync(`${MODELS}/index.json`, "utf8"));
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ ...own, models: own.models.slice(0, 1), more: [RECORDS, REGISTRY] }));
      return true;
    };
    return withPage({ server: { intercept } }, async ({ page, url, errors }) => {
      hosts.origin = url.replace(/\/$/, "");
      await loaded(page);
      const options = (/** @type {string} */ side) =>
        page.$$eval(`#${side}-language option`, (options) => options.map(({ textContent }) => textContent));
      assert.deepEqual([await options("source"), await options("target")], [["English"], ["German"]]);
      assert.deepEqual(hosts.requests, [], "nothing is asked of other hosts unless the reader wants it");

      await page.click("#more");
      await page.waitForSelector("#more-dialog[open]");
      assert.match(await text(page, "#more-hosts"), /^127\.0\.0\.1:\d+$/);
      assert.match(await text(page, "#more-list"), /^English to German, en-de\.tiny, 6\.8 MB/);
      assert.deepEqual(await faults(page), []);
      await page.click("#more-look");
      await page.waitForSelector("#more-offer[hidden]");
      await page.click("#more-dialog button[value=close]");
      assert.deepEqual(await options("source"), ["Detect language", "English", "French"]);
      assert.deepEqual(await options("target"), ["German", "Arabic · 14 MB"]);
      assert.deepEqual(hosts.takeFileRequests(), [], "choosing languages is what downloads");

      // A pair without a model of its own.
      await page.select("#source-language", "fr");
      assert.equal(await page.$eval("#target-language", (select) => /** @type {any} */ (select).value), "de");
      await page.type("#source", "I have a dog.");
      await shows(page, /Hund/);
      assert.equal(hosts.takeFileRequests().length, 3);

      // The language is left to be detected, with the models that are here.
      await page.select("#source-language", "detect");
      await page.$eval("#source", (box) => {
        /** @type {HTMLTextAreaElement} */ (box).value =
          "Where can I buy a ticket for the train to Berlin tomorrow morning?";
        box.dispatchEvent(new Event("input"));
      });
      await page.waitForFunction(() => document.querySelector("#source-label")?.textContent?.includes("English"));
      await shows(page, /Fahrkarte|Ticket|Karte/);
      assert.equal(await page.$eval("#source-language", (select) => /** @type {any} */ (select).value), "detect");

      // The choice and the model outlast the visit.
      await page.reload();
      await loaded(page);
      await page.waitForFunction(() => document.querySelectorAll("#source-language option").length === 3);
      await page.select("#source-language", "fr");
      await page.type("#source", " I have a dog.");
      await shows(page, /Hund/);
      assert.deepEqual(hosts.takeFileRequests(), []);

      await page.click("#more");
      await page.waitForFunction(() => document.querySelectorAll("#more-list li").length === 2);
      await page.click('#more-list [aria-label^="Delete French to English"]');
      await page.waitForFunction(() => document.querySelectorAll("#more-list li").length === 1);
      await page.click("#more-forget");
      await page.waitForSelector("#more-offer:not([hidden])");
      await page.click("#more-dialog button[value=close]");
      await page.waitForFunction(() => document.querySelectorAll("#source-language option").length === 1);
      await loaded(page);
      assert.deepEqual(errors, []);
    });
  });
});
