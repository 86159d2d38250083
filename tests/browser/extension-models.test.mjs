/**
 * The extension and the models that others publish: what the reader is asked first, what is said before anything is downloaded, downloads that
 * fail or are cancelled, a smaller and a better model, and pages in several languages.
 */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildExtension } from "../../www/tools/extension.mjs";
import { serve } from "../../www/tools/serve.mjs";
import { faults } from "./axe.mjs";
import { BROWSERS, TIMEOUT_MS, launch } from "./browsers.mjs";
import { openExtensionPage, openWindow, press, shows, useList, welcomed } from "./extension.mjs";
import { Hosts, RECORDS, standIn } from "./hosts.mjs";
import { picture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").Browser} Browser */

const wanted = process.env.BROWSERS?.split(",") ?? BROWSERS;

const FRENCH =
  "La vieille maison au bord du lac appartient à ma grand-mère, et chaque été nous y passons deux semaines ensemble.";
const ENGLISH = "The old house stands at the river, and the children play in the garden every day.";
const GERMAN = "Das alte Haus steht am Fluss, und die Kinder spielen jeden Tag zusammen im Garten.";
const SPANISH = "La vieja casa está junto al río, y los niños juegan todos los días en el jardín con sus amigos.";

/** @type {Record<string, string>} */
const PAGES = {
  "/french.html": `<!doctype html><html lang="fr"><meta charset="utf-8"><title>Une maison</title><main><p id="fr">${FRENCH}</p></main>`,
  "/german.html": `<!doctype html><html lang="de"><meta charset="utf-8"><title>Ein Haus</title><main><p>${GERMAN}</p></main>`,
  "/several.html": `<!doctype html><html lang="fr"><meta charset="utf-8"><title>Trois langues</title><main>
    <p id="fr">${FRENCH}</p><p id="declared" lang="en">${ENGLISH}</p><p id="detected">The winter was very long and cold in the mountains.</p>
    <p id="de" lang="de">${GERMAN}</p><p id="es" lang="es">${SPANISH}</p></main>`,
};

/** @type {string} */
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
  await buildExtension(folder);
});
after(() => rm(folder, { recursive: true }));

/** Models as they are published, from a server here: two from French to English. */
async function publish() {
  const hosts = new Hosts();
  hosts.publish("fr", "en", standIn("fren"));
  hosts.publish("fr", "en", standIn("fren", 1_000_000), { version: "3.1", architecture: "base", inRegistry: false });
  hosts.publish("fr", "de", standIn("frde", 64));
  const server = await serve({
    intercept: (request, response) => {
      const page = PAGES[request.url ?? ""];
      if (page === undefined) return hosts.intercept(request, response);
      response.writeHead(200, { "Content-Type": "text/html" }).end(page);
      return true;
    },
  });
  hosts.origin = server.url.replace(/\/$/, "");
  return { hosts, server };
}

/**
 * The extension with other addresses in place of Mozilla's, where nothing may be requested here.
 * @param {"chrome" | "firefox"} target
 * @param {string} origin
 * @param {boolean} granted whether the browser's questions are answered beforehand, as Chromium's cannot be clicked from outside
 */
async function withHosts(target, origin, granted) {
  const own = await mkdtemp(join(folder, `${target}-`));
  await cp(join(folder, `extension-${target}`), own, { recursive: true });
  const change = async (/** @type {string} */ file, /** @type {(text: string) => string} */ edit) => {
    const text = await readFile(join(own, file), "utf8");
    assert.notEqual(edit(text), text, file);
    await writeFile(join(own, file), edit(text));
  };
  await change("library/lists.js", (text) =>
    text
      .replace("https://firefox.settings.services.mozilla.com", origin)
      .replace("https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data", origin),
  );
  await change("extension/permissions.js", (text) =>
    text.replace(/(?<=MODEL_HOSTS = \[)[^\]]*(?=\])/, '"http://127.0.0.1/*"'),
  );
  if (!granted) return own;
  await change("manifest.json", (text) => {
    const { optional_host_permissions: hosts, optional_permissions: others, ...rest } = JSON.parse(text);
    return JSON.stringify({ ...rest, host_permissions: hosts, permissions: [...rest.permissions, ...others] });
  });
  return own;
}

/** Waits for an element; windows that are not in front have no frames to wait for. @param {Page} page @param {string} selector */
const appears = (page, selector) =>
  page.waitForFunction((selector) => document.querySelector(selector) !== null, { polling: 100 }, selector);

/** Waits until an element has another text: a stand-in's translation means nothing. @param {Page} page @param {string} selector @param {string} text */
const changed = (page, selector, text) =>
  page.waitForFunction(
    (selector, text) => document.querySelector(selector)?.textContent !== text,
    { polling: 100, timeout: 40_000 },
    selector,
    text,
  );

/**
 * How a reader finds, downloads and uses models from the button's window.
 * @param {Hosts} hosts
 * @param {Page} page a French one
 * @param {() => Promise<Page>} open the button's window, for that page
 */
async function readerDownloads(hosts, page, open) {
  const text = (/** @type {Page} */ popup, /** @type {string} */ selector) =>
    popup.$eval(selector, (node) => node.textContent ?? "");
  let popup = await open();
  await appears(popup, "#look:not([hidden])");
  assert.match(
    await text(popup, "#need"),
    /no model from French to English on this device.*requests their list from Mozilla's servers/,
  );
  assert.deepEqual(await faults(popup), []);
  await picture(popup, "popup-look");
  assert.deepEqual(hosts.requests, [], "nothing was asked before the reader wanted it");

  // A list that cannot be loaded is reported.
  hosts.misbehave = (_, __, response) => (response.writeHead(503).end(), true);
  await popup.click("#look");
  await shows(popup, /Could not load the list of models.*503/, "#status");
  hosts.misbehave = () => false;
  await popup.click("#look");
  await appears(popup, "#download:not([hidden])");
  assert.deepEqual(hosts.takeFileRequests(), [], "the size is said before anything is downloaded");
  assert.match(await text(popup, "#need"), /must be downloaded first \(\d+\.\d MB, from 127\.0\.0\.1/);
  assert.match(await text(popup, "#download"), /^Download \d+\.\d MB and translate$/);

  // The smaller one, which is remembered.
  const sizes = await popup.$$eval("#model-0 option", (options) => options.map((node) => node.textContent ?? ""));
  assert.deepEqual(
    sizes.map((size) => size.replace(/ · .*/, "")),
    ["Higher quality", "Smaller and faster"],
  );
  const better = await text(popup, "#need");
  await popup.select("#model-0", "fr-en.tiny");
  await popup.waitForFunction(
    (before) => document.querySelector("#need")?.textContent !== before,
    { polling: 100 },
    better,
  );
  await picture(popup, "popup-download");
  assert.deepEqual(await faults(popup), []);

  hosts.misbehave = (path, _, response) =>
    path.endsWith(".gz") || path.endsWith(".zst") ? (response.writeHead(503).end(), true) : false;
  await popup.click("#download");
  await shows(popup, /could not be downloaded: .*503/, "#status");
  popup = await refusesWhatIsNoModel(popup, hosts, open);
  assert.match(await page.$eval("#fr", (node) => node.textContent ?? ""), /^La vieille maison/);

  hosts.misbehave = () => false;
  hosts.takeFileRequests();
  assert.equal(
    await popup.$eval("#model-0", (select) => /** @type {HTMLSelectElement} */ (select).value),
    "fr-en.tiny",
  );
  await appears(popup, "#download:not([hidden])");
  await popup.click("#download");
  await appears(popup, "#restore:not([hidden])");
  await changed(page, "#fr", FRENCH);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  assert.ok(!hosts.takeFileRequests().some((path) => /base/.test(path)));
  await popup.click("#restore");
  await appears(popup, "#translate:not([hidden]):not(:disabled)");
  assert.equal(await text(popup, "#need"), "", "nothing is missing any more");
  return popup;
}

/**
 * Downloads from the button's window that come to nothing: one of bytes that are not the model's, and one that the reader cancels.
 * @param {Page} popup
 * @param {Hosts} hosts
 * @param {() => Promise<Page>} open
 * @returns {Promise<Page>} the window that is open afterwards
 */
async function refusesWhatIsNoModel(popup, hosts, open) {
  const isWeights = (/** @type {string} */ path) => /model\..*\.(gz|zst)$/.test(path);
  hosts.misbehave = (path, _, response) => {
    if (!isWeights(path)) return false;
    const file = Buffer.from(hosts.file(path));
    file.fill(0, file.length >> 1, (file.length >> 1) + 64);
    return hosts.send(file, 0, response);
  };
  await appears(popup, "#download:not([hidden])");
  await popup.click("#download");
  await shows(popup, /could not be downloaded: (?!.*503).*model\.fren/, "#status");

  // The rest of the weights does not arrive before the reader has had enough.
  hosts.misbehave = (path, _, response) => {
    if (!isWeights(path)) return false;
    const file = hosts.file(path);
    response.writeHead(200, { "Content-Length": file.length });
    response.write(file.subarray(0, file.length / 2));
    return true;
  };
  await appears(popup, "#download:not([hidden])");
  await popup.click("#download");
  await shows(popup, /^Downloading…$/, "#status");
  await shows(popup, /^\d+\.\d MB of \d+\.\d MB$/, "#amount");
  await popup.waitForFunction(() => /** @type {any} */ (document.querySelector("#progress")).value > 0.2, {
    polling: 100,
  });
  assert.equal(await popup.evaluate(() => document.activeElement?.id), "cancel");
  assert.deepEqual(await faults(popup), []);
  await picture(popup, "popup-downloading");
  // The window may be closed meanwhile, and finds the download again.
  await popup.close().catch(() => {});
  popup = await open();
  await appears(popup, "#cancel:not([hidden])");
  await popup.click("#cancel");
  await shows(popup, /download was cancelled/, "#status");
  return popup;
}

/**
 * What becomes of the paragraphs of a page in several languages.
 * @param {Page} page
 */
async function checkSeveral(page) {
  await page.waitForFunction(() => /Haus/.test(document.querySelector("#declared")?.textContent ?? ""), {
    polling: 100,
    timeout: 40_000,
  });
  await page.waitForFunction(() => /Winter war/.test(document.querySelector("#detected")?.textContent ?? ""), {
    polling: 100,
    timeout: 40_000,
  });
  await changed(page, "#fr", FRENCH);
  const shown = await page.evaluate(() => ["de", "es"].map((id) => document.getElementById(id)?.textContent));
  assert.deepEqual(shown, [GERMAN, SPANISH], "what needs no model, and what has none");
}

describe("models in the extension, chromium", { skip: !wanted.includes("chromium"), timeout: 3 * TIMEOUT_MS }, () => {
  test("which languages does the reader read? asked once, remembered, and used", async () => {
    const { server } = await publish();
    const browser = await launch("chromium", { extension: await withHosts("chrome", server.url.slice(0, -1), true) });
    try {
      const page = await welcomed(browser);
      assert.ok(page, "the page opens by itself");
      await page.bringToFront();
      const extension = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
      assert.ok(extension);
      await page.waitForSelector(".reads li");
      for (const scheme of ["dark", "light"]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        for (const width of [340, 900]) {
          await page.setViewport({ width, height: 700 });
          assert.deepEqual(await faults(page), [], scheme);
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
          await picture(page, `welcome-${scheme}-${width}`);
        }
      }
      const rows = () => page.$$eval(".reads li span", (items) => items.map((item) => item.textContent));
      assert.deepEqual(await rows(), ["English"], "what the browser is set to");
      const stored = () => page.evaluate(() => /** @type {any} */ (globalThis).chrome.storage.local.get());
      // With the keyboard alone.
      await page.focus("#reads-other");
      await page.select("#reads-other", "de");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      assert.deepEqual(await rows(), ["English", "German"]);
      assert.equal(await page.evaluate(() => document.activeElement?.id), "reads-other", "the focus is not lost");
      await page.focus(".reads li:nth-child(2) button");
      await page.keyboard.press("Enter");
      assert.deepEqual(await rows(), ["German", "English"]);
      await shows(page, /other languages are translated into German/, "#reads [role=status]");
      await picture(page, "welcome-two");
      assert.equal((await stored()).reads, undefined);
      await page.focus("#done");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#next:not([hidden])");
      assert.deepEqual(await faults(page), []);
      assert.deepEqual(
        (await stored()).reads,
        ["German", "English"].map((name) => ({ German: "de", English: "en" })[name]),
      );
      await picture(page, "welcome-done");

      // A page that the reader can read is not offered; another is, into the first language.
      const article = await browser.newPage();
      await article.goto(`${server.url}german.html`);
      const own = await openWindow(extension, article);
      await shows(own, /in German, which you read/, "#status");
      assert.deepEqual(
        await own.$$eval("#look, #download", (buttons) =>
          buttons.map((button) => /** @type {HTMLElement} */ (button).hidden),
        ),
        [true, true],
      );
      await own.close().catch(() => {});
      await page.bringToFront();
      await page.evaluate(() => /** @type {any} */ (globalThis).chrome.storage.local.set({ offer: true }));
      await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
      await page.waitForSelector("#offer");
      await page.evaluate(async () => {
        const { settingsChanged } = await import(/** @type {any} */ ("/extension/permissions.js"));
        await settingsChanged();
      });
      const mark = () =>
        page.evaluate(async (url) => {
          const { chrome } = /** @type {any} */ (globalThis);
          const tab = (await chrome.tabs.query({})).findLast((/** @type {any} */ tab) => tab.url?.startsWith(url));
          return chrome.action.getBadgeText({ tabId: tab.id });
        }, server.url);
      await useList(page, `${server.url.slice(0, -1)}${RECORDS}`);
      await shows(page, /Install French–German/, "#models");
      await article.bringToFront();
      await article.goto(`${server.url}french.html`);
      const end = Date.now() + 20_000;
      while ((await mark()) !== "?" && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(await mark(), "?");
      const other = await openWindow(extension, article);
      await other.waitForSelector("#download:not([hidden])");
      assert.equal(await other.$eval("#target", (select) => /** @type {HTMLSelectElement} */ (select).value), "de");
      await other.close().catch(() => {});
      await article.bringToFront();
      await article.goto(`${server.url}german.html`);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.equal(await mark(), "", "what the reader reads is not offered");

      // It can be changed in the options.
      await page.bringToFront();
      await page.reload();
      await page.waitForSelector(".reads li:nth-child(2)");
      await press(page, "Make first");
      await page.waitForFunction(
        async () => (await /** @type {any} */ (globalThis).chrome.storage.local.get()).reads?.[0] === "en",
      );
      await picture(page, "options-reads");
    } finally {
      await browser.close();
      await server.close();
    }
  });

  test("a model is looked for, chosen and downloaded from the button's window", async () => {
    const { hosts, server } = await publish();
    const browser = await launch("chromium", { extension: await withHosts("chrome", server.url.slice(0, -1), true) });
    try {
      await welcomed(browser);
      const extension = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
      assert.ok(extension);
      const page = await browser.newPage();
      await page.goto(`${server.url}french.html`);
      const popup = await readerDownloads(hosts, page, () => openWindow(extension, page));

      // The browser does not allow it: nothing is asked.
      await popup.evaluate(async () => {
        const { chrome } = /** @type {any} */ (globalThis);
        await chrome.storage.local.set({ more: false, looked: 0 });
      });
      await popup.close().catch(() => {});
      await page.evaluate((text) => document.querySelector("#fr")?.replaceChildren(text), SPANISH);
      const other = await openWindow(extension, page);
      await other.waitForSelector("#look:not([hidden])");
      hosts.requests = [];
      await other.evaluate(() => {
        /** @type {any} */ (globalThis).chrome.permissions.request = async () => false;
      });
      await other.click("#look");
      await shows(other, /Nothing was looked up/, "#status");
      assert.deepEqual(hosts.requests, []);
      const { more } = await other.evaluate(() => /** @type {any} */ (globalThis).chrome.storage.local.get());
      assert.equal(more, false);
    } finally {
      await browser.close();
      await server.close();
    }
  });

  test("an imported model stays whole or is not offered: nobody could send it again", async () => {
    const { hosts, server } = await publish();
    const own = await withHosts("chrome", server.url.slice(0, -1), true);
    // In the engine's worker, the browser has no room the first time.
    const storage = join(own, "library/storage.js");
    const put = "async put(sha256, index, bytes) {";
    const text = await readFile(storage, "utf8");
    assert.ok(text.includes(put));
    const full = `if (!globalThis.document && !globalThis.wasFull) {
      globalThis.wasFull = true;
      throw new DOMException("It is full.", "QuotaExceededError");
    }`;
    await writeFile(storage, text.replace(put, `${put} ${full}`));
    const browser = await launch("chromium", { extension: own });
    try {
      await welcomed(browser);
      const extension = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
      assert.ok(extension);
      const page = await browser.newPage();
      await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
      await page.waitForSelector("#models button");
      /** Imports the extension's own model for another pair; `breaks` makes storing its second part fail. @param {boolean} breaks */
      const importIt = (breaks) =>
        page.evaluate(async (breaks) => {
          const { importModel } = await import(/** @type {any} */ ("/extension/models.js"));
          const { ModelStore } = await import(/** @type {any} */ ("/library/storage.js"));
          const { models } = await (await fetch("/models/index.json")).json();
          const { url } = models.find((/** @type {any} */ model) => model.source === "en").files[0];
          const file = new File([await (await fetch(`/models/${url}`)).blob()], "own.wanderwort");
          const { put } = ModelStore.prototype;
          /** @type {boolean[]} */
          const keptBefore = [];
          ModelStore.prototype.put = async function (/** @type {any[]} */ ...part) {
            // Whoever cleans up at this moment finds the model in a list.
            await this.pruneUnlisted();
            keptBefore.push(part[1] === 0 || (await this.storedBytes(part[0], 1)) > 0);
            if (breaks && part[1] === 1) throw new DOMException("It is full.", "QuotaExceededError");
            return put.apply(this, part);
          };
          try {
            await importModel([file], { source: "en", target: "nl" }, {});
            return keptBefore.every(Boolean);
          } catch (error) {
            return String(error);
          } finally {
            ModelStore.prototype.put = put;
          }
        }, breaks);
      /** What is offered from English to Dutch, and what the list of imported models and the browser have of it. */
      const state = () =>
        page.evaluate(async () => {
          const { allModels, bestRoute, importedModels, storedBytes } = await import(
            /** @type {any} */ ("/extension/models.js")
          );
          const names = (/** @type {any[]} */ models) => models.map(({ name }) => name).join();
          const imported = await importedModels();
          const all = await allModels({ fresh: false });
          const offered = names(all.filter((/** @type {any} */ model) => model.target === "nl"));
          const sizes = await Promise.all(imported.map(storedBytes));
          return {
            offered,
            route: names(await bestRoute("en", "nl")),
            imported: names(imported),
            isKept: sizes[0] > 0,
          };
        });
      const nothing = { offered: "", route: "", imported: "", isKept: false };
      const whole = { offered: "en-nl.imported", route: "en-nl.imported", imported: "en-nl.imported", isKept: true };
      assert.match(String(await importIt(true)), /It is full/);
      assert.deepEqual(await state(), nothing);
      assert.equal(await importIt(false), true);
      assert.deepEqual(await state(), whole);
      // An import that fails leaves the one that was there.
      assert.doesNotMatch(String(await importIt(true)), /It is full/, "nothing has to be stored again");
      assert.deepEqual(await state(), whole);

      const old = "1".repeat(64);
      await page.evaluate(async (old) => {
        const { ModelStore } = await import(/** @type {any} */ ("/library/storage.js"));
        await (await ModelStore.open()).put(old, 0, new Uint8Array(3));
      }, old);
      await page.bringToFront();
      await useList(page, `${server.url.slice(0, -1)}${RECORDS}`);
      await press(page, "Install French–German");
      await shows(page, /^(?![^]*Install French–German)[^]*Delete French–German/, "#models");
      const stored = await page.evaluate(async () => {
        const cache = await caches.open("wanderwort-models-1");
        return (await cache.keys()).map(({ url }) => url).join(" ");
      });
      assert.ok(!stored.includes(old), "room was made");
      assert.ok(hosts.takeFileRequests().length > 0);
      assert.deepEqual(await state(), whole, "but not of what nobody could send again");
      await page.evaluate(async () => {
        const { importedModels } = await import(/** @type {any} */ ("/extension/models.js"));
        const [{ files }] = await importedModels();
        const cache = await caches.open("wanderwort-models-1");
        for (const { url } of await cache.keys()) if (url.endsWith(`${files[0].sha256}/1`)) await cache.delete(url);
      });
      assert.deepEqual(await state(), { ...whole, offered: "", route: "" }, "it lacks a part");
      await page.reload();
      await press(page, "Delete English–Dutch");
      await page.waitForFunction(() => !/Dutch/.test(document.querySelector("#models")?.textContent ?? ""));
      assert.deepEqual(await state(), nothing);
    } finally {
      await browser.close();
      await server.close();
    }
  });

  test("a page in several languages uses several models, as far as memory allows", async () => {
    const { server } = await publish();
    const browser = await launch("chromium", { extension: await withHosts("chrome", server.url.slice(0, -1), true) });
    try {
      await welcomed(browser);
      const extension = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
      assert.ok(extension);
      const options = await browser.newPage();
      await options.goto(`chrome-extension://${extension.id}/extension/options.html`);
      await options.waitForSelector(".reads li");
      await options.evaluate(() =>
        /** @type {any} */ (globalThis).chrome.storage.local.set({ more: true, reads: ["de"] }),
      );
      await options.reload();
      await press(options, "Install French–German");
      await shows(options, /^(?![^]*Install French–German)[^]*Delete French–German/, "#models");
      const page = await browser.newPage();
      await page.goto(`${server.url}several.html`);
      const popup = await openWindow(extension, page);
      await popup.waitForSelector("#translate:not(:disabled)");
      await popup.click("#translate");
      await checkSeveral(page);
      await popup.close().catch(() => {});
      /** The engines in memory. */
      const engines = () => browser.targets().filter((target) => target.url().endsWith("/worker/worker.js")).length;
      assert.equal(engines(), 2, "each model is there once");
      await options.bringToFront();
      await options.$eval("#memory", (input) => Object.assign(input, { value: "1" }));
      await options.$eval("#memory", (input) => input.dispatchEvent(new Event("change")));
      await page.bringToFront();
      await page.evaluate(() => {
        const paragraph = document.createElement("p");
        paragraph.lang = "en";
        paragraph.textContent = "My brother has bought a new car in the city.";
        document.querySelector("main")?.append(paragraph);
      });
      await shows(page, /Bruder/, "main");
      const end = Date.now() + 10_000;
      while (engines() > 1 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(engines(), 1, "the one that was used longest ago is gone");
      // It comes back when it is needed.
      await page.evaluate((text) => {
        const paragraph = Object.assign(document.createElement("p"), { id: "again", textContent: `Hier, ${text}` });
        document.querySelector("main")?.append(paragraph);
      }, FRENCH);
      await changed(page, "#again", `Hier, ${FRENCH}`);
    } finally {
      await browser.close();
      await server.close();
    }
  });
});

describe("models in the extension, firefox", { skip: !wanted.includes("firefox"), timeout: 3 * TIMEOUT_MS }, () => {
  test("the first question, a download with its permission, and a page in several languages", async () => {
    const pages = { id: "wanderwort@wanderwort.invalid", uuid: "0b1f3a52-6f8d-4a43-9d7e-1c2b3a4d5e6f" };
    const { hosts, server } = await publish();
    const browser = await launch("firefox", { extensionPages: pages });
    const address = (/** @type {string} */ name) => `moz-extension://${pages.uuid}/extension/${name}`;
    try {
      await browser.installExtension(await withHosts("firefox", server.url.slice(0, -1), false));
      const welcome = await browser.newPage();
      await openExtensionPage(welcome, address("welcome.html"), ".reads li");
      await welcome.setViewport({ width: 340, height: 700 });
      assert.deepEqual(await faults(welcome), []);
      await welcome.click("#done");
      await welcome.waitForSelector("#next:not([hidden])");
      const storage = () => welcome.evaluate(() => /** @type {any} */ (globalThis).browser.storage.local.get());
      assert.deepEqual((await storage()).reads, ["en"]);

      // The button's window works in a tab of its own where every page is allowed: it asks for the tab in front.
      const options = await browser.newPage();
      await openExtensionPage(options, address("options.html"), "#models button");
      const allowed = () =>
        options.evaluate(async () => {
          const { origins } = await /** @type {any} */ (globalThis).browser.permissions.getAll();
          return origins.sort().join(" ");
        });
      await options.click("#offer");
      const end = Date.now() + 10_000;
      while ((await allowed()) === "" && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
      const page = await browser.newPage();
      await page.goto(`${server.url}french.html`);
      const open = async () => {
        const popup = await browser.newPage();
        await page.bringToFront();
        await openExtensionPage(popup, address("popup.html"), "#source option");
        return popup;
      };
      let popup = await open();
      await appears(popup, "#look:not([hidden])");
      assert.deepEqual(hosts.requests, [], "nothing was asked before the reader wanted it");
      await popup.click("#look");
      await appears(popup, "#download:not([hidden])");
      assert.match(await allowed(), /http:\/\/127\.0\.0\.1\/\*/, "the hosts were asked for with the click");
      assert.deepEqual(hosts.takeFileRequests(), [], "the size is said before anything is downloaded");
      hosts.misbehave = (path, _, response) => /\.(gz|zst)$/.test(path) && Boolean(response.writeHead(503).end());
      await popup.click("#download");
      await shows(popup, /could not be downloaded: .*503/, "#status");
      popup = await refusesWhatIsNoModel(popup, hosts, open);
      hosts.misbehave = () => false;
      await appears(popup, "#download:not([hidden])");
      await popup.click("#download");
      await changed(page, "#fr", FRENCH);
      await popup.close();

      await options.bringToFront();
      await options.evaluate(() =>
        /** @type {any} */ (globalThis).browser.storage.local.set({ reads: ["de"], target: "de" }),
      );
      await openExtensionPage(options, address("options.html"), "#models button");
      await appears(options, "#models button");
      await press(options, "Install French–German");
      await shows(options, /^(?![^]*Install French–German)[^]*Delete French–German/, "#models");
      await page.goto(`${server.url}several.html`);
      const other = await open();
      await appears(other, "#translate:not(:disabled)");
      await other.click("#translate");
      await checkSeveral(page);
    } finally {
      await browser.close();
      await server.close();
    }
  });
});
