/**
 * The extension in real browsers: what the reader sees, what it keeps through the browser's own housekeeping, and that nothing leaves the
 * machine: every request of the whole browser goes through a proxy that writes it down.
 */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildExtension } from "../../www/extension/build.mjs";
import { serve } from "../../www/serve.mjs";
import { BROWSERS, TIMEOUT_MS, launch } from "./browsers.mjs";
import { fixture, picture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").Browser} Browser */
/** @typedef {import("puppeteer-core").Extension} Extension */

const MODEL = fileURLToPath(new URL("../../tests/data/en-de.prototype/", import.meta.url));
const wanted = process.env.BROWSERS?.split(",") ?? BROWSERS;

/** Browsers look for updates and accounts of their own, which the proxy refuses. The extension names none of these. */
const BROWSERS_OWN = /^https?:\/\/([\w-]+\.)*(google|googleapis|gstatic|mozilla|firefox)\.(com|org|net)\b/;

/** @type {string} */
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
  await buildExtension(folder);
});
after(() => rm(folder, { recursive: true }));

/** Passes requests to this machine on, refuses all others, and remembers both. */
async function startProxy() {
  /** @type {string[]} */
  const seen = [];
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? "");
    seen.push(url.href);
    if (url.hostname !== "127.0.0.1") return void response.writeHead(403).end();
    const { method, headers } = incoming;
    const outgoing = forward(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connect", (incoming, socket) => {
    seen.push(`https://${incoming.url}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    seen,
    port,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

/**
 * @param {Page} page
 * @param {RegExp} pattern
 * @param {string} [selector]
 */
const shows = (page, pattern, selector = "body") =>
  page.waitForFunction(
    (selector, source) => new RegExp(source).test(document.querySelector(selector)?.textContent ?? ""),
    { polling: 100, timeout: 40_000 },
    selector,
    pattern.source,
  );

/** @param {Page} page @param {string} text */
const addParagraph = (page, text) =>
  page.evaluate((text) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    document.querySelector("main")?.prepend(paragraph);
  }, text);

describe("extension, chromium", { skip: !wanted.includes("chromium"), timeout: 5 * TIMEOUT_MS }, () => {
  /** @type {Browser} */
  let browser;
  /** @type {Extension} */
  let extension;
  /** @type {Awaited<ReturnType<typeof startProxy>>} */
  let proxy;
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server;

  before(async () => {
    proxy = await startProxy();
    server = await serve(fixture("article.html").server);
    browser = await launch("chromium", { extension: join(folder, "extension-chrome"), proxyPort: proxy.port });
    await browser.waitForTarget((target) => target.type() === "service_worker", { timeout: TIMEOUT_MS });
    const found = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
    assert.ok(found);
    extension = found;
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await proxy?.close();
  });

  /** @param {Page} page */
  async function openPopup(page) {
    await page.bringToFront();
    await extension.triggerAction(page);
    for (;;) {
      const popup = (await extension.pages()).find((page) => page.url().endsWith("/popup.html"));
      if (popup) return popup;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Runs something in the service worker, which the browser may have to wake. @param {string} script */
  async function inWorker(script) {
    const target = await browser.waitForTarget((target) => target.type() === "service_worker");
    const worker = await target.worker();
    return worker?.evaluate(script);
  }

  const engines = () => browser.targets().filter((target) => target.url().endsWith("/offscreen.html")).length;

  test("translates at a click and puts back; nothing is asked of anybody", async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 900, height: 700 });
    await page.goto(`${server.url}fixtures/article.html`);
    const original = await page.$eval("body", (body) => body.innerHTML);
    proxy.seen.length = 0;
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    assert.equal(await popup.$eval("#source", (node) => /** @type {HTMLSelectElement} */ (node).value), "en");
    await popup.click("#translate");
    await shows(page, /Die alte Brücke/, "main");
    await shows(popup, /This page is translated/);
    await picture(popup, "popup");
    await picture(page, "extension-article");
    const isolated = browser.targets().some((target) => target.url().includes("-threads/"));
    assert.ok(isolated, "the engine's document is isolated, so it has threads");
    await popup.click("#restore");
    await shows(page, /The old bridge over the river/, "main");
    assert.equal(await page.$eval("body", (body) => body.innerHTML), original);
    assert.deepEqual(
      proxy.seen.filter((address) => !/favicon\.ico$/.test(address) && !BROWSERS_OWN.test(address)),
      [],
      "the model comes with the extension",
    );
    await page.close();
  });

  test("outlives the service worker, the engine's document and idle minutes", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    await popup.click("#translate");
    await shows(page, /Die alte Brücke/, "main");
    await popup.close().catch(() => {});
    await page.bringToFront();

    const target = await browser.waitForTarget((target) => target.type() === "service_worker");
    await (await target.worker())?.close();
    await addParagraph(page, "The children play in the garden.");
    await shows(page, /Kinder/, "main");

    // A message wakes the worker.
    await openPopup(page);
    await inWorker("chrome.offscreen.closeDocument()");
    await addParagraph(page, "The winter was very long and cold.");
    await shows(page, /Winter war/, "main");

    await inWorker("chrome.storage.local.set({ idleMinutes: 0.02 })");
    await addParagraph(page, "The teacher reads a book about birds.");
    await shows(page, /Lehrer/, "main");
    const end = Date.now() + 20_000;
    while (engines() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(engines(), 0, "the engine's memory is free");
    await inWorker("chrome.storage.local.set({ idleMinutes: 5 })");
    await addParagraph(page, "My brother has bought a new house.");
    await shows(page, /Bruder/, "main");
    await page.close();
  });

  test("translates a selection beside it", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    await (await openPopup(page)).waitForSelector("#translate:not(:disabled)");
    await page.evaluate(() => getSelection()?.selectAllChildren(/** @type {Node} */ (document.querySelector("#lead"))));
    // The menu itself is the browser's; this is what a click on it sends.
    const box = async () => {
      await inWorker(`(async () => {
        const [tab] = (await chrome.tabs.query({})).filter((tab) => tab.active);
        await chrome.tabs.sendMessage(tab.id, { type: "selection", source: "en", target: "de" }, { frameId: 0 });
      })()`);
      return page.waitForSelector("html > div[role=status]", { visible: true });
    };
    assert.ok(await box());
    await picture(page, "selection");
    await page.keyboard.press("Escape");
    await page.waitForSelector("html > div[role=status]", { hidden: true });
    await page.close();
  });

  test("options: models are listed, imported and deleted", async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 900, height: 700 });
    await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
    await shows(page, /German.*en-de/, "#models");
    await page.click("summary");
    await page.type("#import-source", "en");
    await page.type("#import-target", "nl");
    const input = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (
      await page.$("#import-files")
    );
    const files = (await readdir(MODEL)).filter((name) => /\.(bin|spm|yml)$/.test(name));
    await input.uploadFile(...files.map((name) => join(MODEL, name)));
    await page.click("#import");
    await shows(page, /Dutch/, "#models");
    assert.match(await page.$eval("#storage", (node) => node.textContent ?? ""), /Models take \d\d\.\d MB/);
    await picture(page, "options");

    // The imported model translates, from what is kept: its address is nobody's.
    const article = await browser.newPage();
    await article.goto(`${server.url}fixtures/article.html`);
    proxy.seen.length = 0;
    await (await openPopup(article)).waitForSelector("#translate:not(:disabled)");
    await inWorker(`(async () => {
      const [tab] = (await chrome.tabs.query({})).filter(({ url, active }) => active && !url?.startsWith("chrome"));
      await chrome.tabs.sendMessage(tab.id, { type: "translate", source: "en", target: "nl" }, { frameId: 0 });
    })()`);
    await shows(article, /Die alte Brücke/, "main");
    assert.equal(await article.evaluate(() => document.documentElement.lang), "nl");
    assert.deepEqual(
      proxy.seen.filter((address) => address.includes("imported")),
      [],
    );
    await article.close();
    await page.bringToFront();
    await page.evaluate(() => {
      const button = [...document.querySelectorAll("button")].find((node) =>
        /Delete English–Dutch/.test(node.textContent ?? ""),
      );
      button?.click();
    });
    await page.waitForFunction(() => !/Dutch/.test(document.querySelector("#models")?.textContent ?? ""));
    assert.equal(await page.$eval("#problem", (node) => /** @type {HTMLElement} */ (node).hidden), true);
    await page.close();
  });
});

describe("extension, firefox", { skip: !wanted.includes("firefox"), timeout: 5 * TIMEOUT_MS }, () => {
  test("translates a page of a language that is always translated; nothing is asked of anybody", async () => {
    // A reader's choices, which cannot be clicked from outside here: a permission, and the language.
    const own = join(folder, "firefox-with-choices");
    await cp(join(folder, "extension-firefox"), own, { recursive: true });
    const manifest = JSON.parse(await readFile(join(own, "manifest.json"), "utf8"));
    manifest.host_permissions = ["http://127.0.0.1/*"];
    manifest.content_scripts = [{ matches: ["http://127.0.0.1/*"], js: ["extension/content.js"], all_frames: true }];
    manifest.background.scripts.unshift("extension/choices.js");
    await writeFile(join(own, "manifest.json"), JSON.stringify(manifest));
    await writeFile(join(own, "extension/choices.js"), `browser.storage.local.set({ languages: { en: "de" } });`);

    const proxy = await startProxy();
    const server = await serve(fixture("article.html").server);
    const browser = await launch("firefox", { proxyPort: proxy.port });
    try {
      await browser.installExtension(own);
      const page = await browser.newPage();
      await page.goto(`${server.url}fixtures/article.html`);
      await shows(page, /Die alte Brücke/, "main");
      await page.focus("#link");
      await page.click("#link");
      assert.equal(await page.evaluate(() => globalThis.clicks), 1, "listeners stay");
      await addParagraph(page, "The children play in the garden.");
      await shows(page, /Kinder/, "main");
      await picture(page, "extension-article-firefox");
      const foreign = proxy.seen.filter((address) => !address.startsWith(server.url) && !BROWSERS_OWN.test(address));
      assert.deepEqual(foreign, []);
      const here = proxy.seen.filter((address) => address.startsWith(server.url));
      assert.deepEqual(
        here.map((address) => new URL(address).pathname).filter((path) => !/article\.html|favicon\.ico/.test(path)),
        [],
        "the model comes with the extension",
      );
    } finally {
      await browser.close();
      await server.close();
      await proxy.close();
    }
  });
});
