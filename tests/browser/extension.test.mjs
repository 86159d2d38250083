/**
 * The extension in real browsers: what the reader sees, what it keeps through the browser's own housekeeping, and that nothing leaves the
 * machine: every request of the whole browser goes through a proxy that records it.
 */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, request as forward } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildExtension } from "../../www/tools/extension.mjs";
import { serve } from "../../www/tools/serve.mjs";
import { faults } from "./axe.mjs";
import { BROWSERS, TIMEOUT_MS, launch } from "./browsers.mjs";
import { openExtensionPage, openWindow, press, shows, useList, welcomed } from "./extension.mjs";
import { fixture, picture } from "./live.mjs";
import { Hosts, RECORDS, standIn } from "./hosts.mjs";
import { MARIAN_FOLDER } from "./prototype.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").Browser} Browser */
/** @typedef {import("puppeteer-core").Extension} Extension */

const MODELS = fileURLToPath(new URL("../../models/", import.meta.url));
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

/** A page that deprives itself of everything that scripts work with. */
const BARE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The old mill</title>
  <script>
    const names = "MutationObserver IntersectionObserver Node Element Text HTMLElement CustomEvent EventTarget Range WeakRef " +
      "FinalizationRegistry MessageChannel Promise Map Set WeakMap JSON Intl setTimeout requestAnimationFrame requestIdleCallback " +
      "getComputedStyle performance Uint32Array";
    for (const name of names.split(" ")) {
      try {
        delete globalThis[name];
        globalThis[name] = null;
      } catch {}
    }
    for (const prototype of [Array.prototype, String.prototype, Object.prototype]) {
      for (const name of ["map", "filter", "find", "includes", "split", "replace", "toJSON"]) {
        Object.defineProperty(prototype, name, { value: () => { throw 0; }, configurable: true });
      }
    }
  </script>
  <main><h1>The old mill</h1><p>The old mill stands at the river.</p></main>`;

/** Forwards requests to this machine, refuses all others, and remembers both. */
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
    // A browser that is refused may reset the connection before it reads why.
    socket.on("error", () => socket.destroy());
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
    await welcomed(browser);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
    await proxy?.close();
  });

  const openPopup = (/** @type {Page} */ page) => openWindow(extension, page);

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

  test("goes on with a page that the browser shows again as it was", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    await popup.click("#translate");
    await shows(page, /Die alte Brücke/, "main");
    await popup.close().catch(() => {});
    await page.evaluate(() =>
      addEventListener("pageshow", ({ persisted }) => Object.assign(globalThis, { persisted })),
    );
    await page.goto(`${server.url}blank.html`);
    await page.goBack();
    assert.equal(await page.evaluate(() => Object(globalThis).persisted), true, "from the browser's cache");
    await addParagraph(page, "The children play in the forest.");
    await shows(page, /Wald/, "main");
    await page.close();
  });

  test("says truthfully what there is to translate", async () => {
    const page = await browser.newPage();
    const say = async (/** @type {string} */ html) => {
      await page.goto(`${server.url}blank.html`);
      await page.setContent(`<!doctype html><html>${html}`);
      const popup = await openPopup(page);
      return popup;
    };
    const french = await say(
      "<title>Une maison</title><p>La vieille maison au bord du lac appartient à ma grand-mère, et chaque été nous y passons deux semaines.</p>",
    );
    await shows(french, /This page is in French/, "#status");
    await shows(french, /There is no model from French to English on this device/, "#need");
    assert.deepEqual(await faults(french), []);
    assert.equal(
      await french.$eval("#translate", (button) => /** @type {HTMLButtonElement} */ (button).disabled),
      true,
    );
    // The reader may know better.
    await french.select("#source", "en");
    await french.waitForSelector("#translate:not(:disabled)");
    await french.click("#translate");
    await shows(french, /in another language|is translated/, "#status");
    assert.match(await page.$eval("p", (node) => node.textContent ?? ""), /^La vieille maison/);
    await french.close().catch(() => {});
    await page.close();
  });

  test("what is typed into a field is translated in the way of typing", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    await (await openPopup(page)).waitForSelector("#translate:not(:disabled)");
    await page.evaluate(() => {
      const field = document.createElement("textarea");
      field.value = "The house is very old.";
      /** @type {string[]} */
      const inputs = [];
      field.addEventListener("input", () => inputs.push(field.value));
      Object.assign(globalThis, { inputs });
      document.body.append(field);
      field.focus();
    });
    await inWorker(`(async () => {
      const [tab] = (await chrome.tabs.query({})).filter((tab) => tab.active);
      await chrome.tabs.sendMessage(tab.id, { type: "typed", source: "en", target: "de" }, { frameId: 0 });
    })()`);
    await page.waitForFunction(() => /Haus/.test(document.querySelector("textarea")?.value ?? ""), { timeout: 40_000 });
    assert.match(await page.evaluate(() => Object(globalThis).inputs.at(-1)), /^Das Haus ist sehr alt/);
    await page.close();
  });

  /** Does what the reader's shortcut does in the tab of an article. @param {string} command */
  const shortcut = (command) =>
    inWorker(`(async () => {
      const tab = (await chrome.tabs.query({})).findLast(({ url }) => url?.includes("/article.html"));
      chrome.commands.onCommand.dispatch("${command}", tab);
    })()`);

  /** An article with an editor that has the focus. @param {string} html */
  async function draft(html) {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    await popup.close().catch(() => {});
    await page.bringToFront();
    await page.evaluate((html) => {
      const editor = Object.assign(document.createElement("div"), { id: "editor", innerHTML: html });
      editor.contentEditable = "true";
      document.body.append(editor);
      editor.focus();
    }, html);
    return page;
  }

  /** Whether the words of the editor are as wanted. @param {Page} page @param {RegExp} pattern */
  const reads = (page, pattern) =>
    page.waitForFunction(
      (source) =>
        new RegExp(source).test(document.querySelector("#editor")?.textContent?.replaceAll("\u00a0", " ") ?? ""),
      { polling: 100, timeout: 40_000 },
      pattern.source,
    );

  test("a draft with formatting keeps all that is not words, and what was typed comes back", async () => {
    const html =
      '<p>Das <a href="#x">alte Haus</a> steht am <b>Fluss</b>.</p><p hidden="">Versteckte Wörter.</p>' +
      '<ul><li>Der Winter war <i>sehr</i> lang. <img alt="" src="data:,"></li></ul>Die Kinder<br>' +
      '<div>Hallo <span contenteditable="false" data-user="7">@Anna</span>, wie geht es dir?</div>' +
      "<p>Der Lehrer liest ein Buch.</p>";
    const page = await draft(html);
    const bones = () =>
      page.$eval("#editor", (editor) =>
        [...editor.querySelectorAll("*")].map((node) => /** @type {Element} */ (node.cloneNode()).outerHTML).join(""),
      );
    const before = await bones();
    await shortcut("translate-typed");
    await reads(page, /^The old house.*river\.Versteckte Wörter\.(?:The w|W)inter was very long.*@Anna.*teacher/);
    assert.equal(await bones(), before);
    assert.match(await page.$eval("#editor a", (link) => link.textContent ?? ""), /^old house$/);
    assert.match(await page.$eval("#editor i", (node) => node.textContent ?? ""), /^very$/);
    // As often as the reader likes to press the keys for it.
    await page.evaluate(() => {
      for (let times = 0; times < 200 && document.execCommand("undo");) times++;
    });
    assert.equal(await page.$eval("#editor", (editor) => editor.innerHTML), html);
    await page.close();
  });

  test("of a draft, only what is selected is translated", async () => {
    const german = "Das alte Haus steht am Fluss, und die Kinder spielen jeden Tag zusammen im Garten.";
    const page = await draft(`<p>${german}</p><p>Der Winter war lang. Der Lehrer liest ein Buch.</p>`);
    await page.evaluate(() => {
      const text = document.querySelector("#editor p + p")?.firstChild;
      if (text) getSelection()?.setBaseAndExtent(text, 0, text, "Der Winter war lang.".length);
    });
    await shortcut("translate-typed");
    await reads(page, /im Garten\.(?:The w|W)inter was long\. Der Lehrer liest ein Buch\.$/);
    await page.evaluate((german) => {
      const value = `${german} Der Lehrer liest ein Buch.`;
      const field = Object.assign(document.createElement("textarea"), { value });
      document.body.append(field);
      field.focus();
      field.setSelectionRange(german.length + 1, value.length);
    }, german);
    await shortcut("translate-typed");
    await page.waitForFunction(() =>
      /im Garten\. The teacher reads/.test(document.querySelector("textarea")?.value ?? ""),
    );
    await page.close();
  });

  test("what would lose its formatting stays, and the reader is told", async () => {
    // The editor refuses the one paragraph, as if the browser had removed something.
    const page = await draft("<p>Der Winter war lang.</p><p>Das <b>Haus</b> ist alt.</p>");
    await page.evaluate(() =>
      document.querySelector("#editor")?.addEventListener("input", () => {
        const bold = document.querySelector("#editor b");
        if (bold && bold.textContent !== "Haus") bold.replaceWith(...bold.childNodes);
      }),
    );
    await shortcut("translate-typed");
    const said = await page.waitForSelector("html > div[role=status]", { visible: true });
    assert.ok(said);
    await reads(page, /^(?:The w|W)inter was long\./);
    await page.close();
  });

  test("what is typed in a frame is translated there", async () => {
    const page = await draft("<p>Das Haus ist alt.</p>");
    await page.evaluate(() => {
      const frame = Object.assign(document.createElement("iframe"), { srcdoc: "<textarea></textarea>" });
      document.body.append(frame);
      return new Promise((resolve) => (frame.onload = resolve));
    });
    const frame = page.frames().find((frame) => frame !== page.mainFrame());
    assert.ok(frame);
    await frame.focus("textarea");
    await frame.type("textarea", "Der Lehrer liest ein Buch.");
    await shortcut("translate-typed");
    await frame.waitForFunction(() => /^The teacher/.test(document.querySelector("textarea")?.value ?? ""));
    assert.equal(await page.$eval("#editor", (editor) => editor.textContent), "Das Haus ist alt.");
    await page.close();
  });

  test("without a model for what is typed, the button's window opens, which knows more", async () => {
    const page = await draft("<p>La vieille maison au bord du lac appartient à ma grand-mère depuis longtemps.</p>");
    await inWorker("chrome.action.openPopup = async () => { globalThis.wasOpened = true; }");
    await shortcut("translate-typed");
    const end = Date.now() + 20_000;
    while (!(await inWorker("globalThis.wasOpened === true")) && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await inWorker("globalThis.wasOpened"), true);
    await page.close();
  });

  test("what went wrong is said until the page is translated again or put back", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    const ask = (/** @type {string} */ question) =>
      inWorker(`(async () => {
        const tab = (await chrome.tabs.query({})).findLast(({ url }) => url?.includes("/article.html"));
        return chrome.tabs.sendMessage(tab.id, ${question}, { frameId: 0 });
      })()`);
    await ask('{ type: "translate", source: "en", target: "fi" }');
    await shows(popup, /There is no model from English to Finnish/, "#status");
    await ask('{ type: "restore" }');
    await popup.waitForFunction(() => !/no model/.test(document.querySelector("#status")?.textContent ?? ""), {
      polling: 100,
    });
    await ask('{ type: "translate", source: "en", target: "fi" }');
    await shows(popup, /There is no model from English to Finnish/, "#status");
    await ask('{ type: "translate", source: "en", target: "de" }');
    await shows(popup, /This page is translated/, "#status");
    await page.close();
  });

  test("the button's window says what happens once, goes on after a failure, and how far it is only to those who ask", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    await popup.evaluate(() => {
      /** @type {string[]} */
      const said = [];
      const note = () => said.push(document.querySelector("#status")?.textContent ?? "");
      const status = document.querySelector("#status");
      if (status) new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
      const { scripting } = /** @type {any} */ (globalThis).chrome;
      const ask = scripting.executeScript;
      const looks = { count: 0 };
      scripting.executeScript = (/** @type {any[]} */ ...question) =>
        ++looks.count === 2 ? Promise.reject(new Error("The page is not there.")) : ask.apply(scripting, question);
      Object.assign(globalThis, { said, looks });
    });
    await popup.click("#translate");
    await shows(popup, /This page is translated/, "#status");
    const looks = await popup.evaluate(() => Object(globalThis).looks.count);
    await popup.waitForFunction((before) => Object(globalThis).looks.count > before + 3, { polling: 100 }, looks);
    const said = await popup.evaluate(() => /** @type {string[]} */ (Object(globalThis).said));
    assert.equal(said.filter((text, i) => text === said[i - 1]).length, 0, said.join(" | "));
    assert.ok(!said.some((text) => /\d ?%/.test(text)), said.join(" | "));
    assert.equal(said.at(-1), "This page is translated.");
    assert.deepEqual(await faults(popup), []);
    await page.close();
  });

  test("the background is woken once when a page is translated, not at every change of it", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    const popup = await openPopup(page);
    await popup.waitForSelector("#translate:not(:disabled)");
    await inWorker(`
      globalThis.heard = [];
      chrome.runtime.onMessage.addListener(({ type }) => void (/complete|restored/.test(type) && heard.push(type)));
    `);
    await popup.click("#translate");
    await shows(popup, /This page is translated/, "#status");
    for (const [english, german] of /** @type {const} */ ([
      ["The children play in the garden.", "Kinder"],
      ["The teacher reads a book about birds.", "Lehrer"],
    ])) {
      await addParagraph(page, english);
      await shows(page, new RegExp(german), "main");
      await shows(popup, /This page is translated/, "#status");
    }
    await popup.click("#restore");
    const end = Date.now() + 20_000;
    while (!(await inWorker("heard.includes('restored')")) && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(await inWorker("heard"), ["complete", "restored"]);
    await page.close();
  });

  test("translates a selection beside it, where it can be seen", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}fixtures/article.html`);
    await (await openPopup(page)).waitForSelector("#translate:not(:disabled)");
    await page.evaluate(() => {
      const dialog = document.createElement("dialog");
      dialog.append(Object.assign(document.createElement("p"), { textContent: "The winter was very long." }));
      document.body.append(dialog);
      dialog.showModal();
    });
    const select = async (/** @type {string} */ selector) => {
      await page.$eval(selector, (node) => getSelection()?.selectAllChildren(node));
      await inWorker(`(async () => {
        const tab = (await chrome.tabs.query({})).findLast(({ url }) => url?.includes("/article.html"));
        await chrome.tabs.sendMessage(tab.id, { type: "selection", source: "en", target: "de" }, { frameId: 0 });
      })()`);
    };
    await select("dialog p");
    const box = "dialog > div[role=status]";
    await page.waitForSelector(box, { visible: true });
    const isOnTop = await page.$eval(box, (box) => {
      const { left, top, width, height } = box.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === box;
    });
    assert.equal(isOnTop, true);
    // One at a time.
    await select("dialog p");
    assert.equal(await page.$$eval("div[role=status]", (boxes) => boxes.length), 1);
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
    for (const scheme of ["dark", "light"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      assert.deepEqual(await faults(page), [], scheme);
    }
    await page.setViewport({ width: 340, height: 700 });
    const button = "#models button";
    const fits = (/** @type {Element} */ node) =>
      node.getBoundingClientRect().right <= document.documentElement.clientWidth;
    assert.equal(await page.$eval(button, fits), true, "the buttons are in sight in a narrow window");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
    await page.setViewport({ width: 900, height: 700 });
    await page.type("#import-source", "en");
    await page.type("#import-target", "nl");
    const input = /** @type {import("puppeteer-core").ElementHandle<HTMLInputElement>} */ (
      await page.$("#import-files")
    );

    // What is not a model is refused, with the reason.
    const garbage = join(folder, "model.bin");
    await writeFile(garbage, "Not a model.");
    await input.uploadFile(garbage, join(MARIAN_FOLDER, "vocab.ende.spm"));
    await page.click("#import");
    await shows(page, /model\.bin/, "#problem:not([hidden])");
    assert.doesNotMatch(await page.$eval("#models", (table) => table.textContent ?? ""), /Dutch/);

    // Files as they are published: compressed, with a note beside them.
    const names = (await readdir(MARIAN_FOLDER)).filter((name) => /\.(bin|spm|yml)$/.test(name));
    for (const name of names) {
      await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(MARIAN_FOLDER, name)), { level: 1 }));
    }
    await input.uploadFile(...names.map((name) => join(folder, `${name}.gz`)), join(MARIAN_FOLDER, "README.md"));
    await page.click("#import");
    await shows(page, /Dutch/, "#models");
    assert.match(await page.$eval("#storage", (node) => node.textContent ?? ""), /Models take up \d\d\.\d MB/);
    await picture(page, "options");

    // The imported model translates from what is kept: its address belongs to nobody.
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
    // With the keyboard: the focus stays in the table when its button goes.
    const last = await page.waitForSelector('::-p-xpath(//button[normalize-space()="Delete English–Dutch"])');
    await last?.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !/Dutch/.test(document.querySelector("#models")?.textContent ?? ""));
    assert.equal(await page.evaluate(() => document.activeElement?.closest("#models") !== null), true);
    assert.equal(await page.$eval("#problem", (node) => /** @type {HTMLElement} */ (node).hidden), true);
    await page.close();
  });

  test("options: models that others publish are listed, installed, used two in a row, and deleted", async () => {
    const hosts = new Hosts();
    hosts.publish("fr", "en", standIn("fren"));
    const host = await serve({ intercept: hosts.intercept });
    try {
      const page = await browser.newPage();
      await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
      await shows(page, /German/, "#models");
      const own = await page.$eval("#list", (input) => /** @type {HTMLInputElement} */ (input).value);
      await useList(page, `${host.url.replace(/\/$/, "")}${RECORDS}`);
      await shows(page, /Install French–English/, "#models");
      await press(page, "Install French–English");
      await shows(page, /Delete French–English/, "#models");
      assert.equal(hosts.takeFileRequests().length, 3);
      /** What serves a pair of languages, when the extension's own list is there too. */
      const serving = (/** @type {string} */ source, /** @type {string} */ target) =>
        page.evaluate(
          async (source, target, own) => {
            const { allModels, bestRoute } = await import(/** @type {any} */ ("/extension/models.js"));
            const { joinLists, parseList } = await import(/** @type {any} */ ("/library/catalogue.js"));
            const list = parseList(await (await fetch(own)).json(), own);
            const all = joinLists([{ models: await allModels(), notes: [] }, list]).models;
            const route = await bestRoute(source, target, all);
            return route.map((/** @type {{name: string}} */ model) => model.name);
          },
          source,
          target,
          own,
        );
      assert.deepEqual(await serving("fr", "en"), ["fr-en.tiny"]);
      assert.deepEqual(await serving("fr", "de"), ["fr-en.tiny", "en-de.tiny"]);
      await press(page, "Delete French–English");
      await shows(page, /Install French–English/, "#models");
      await useList(page, own);
      await shows(page, /English.*German/, "#models");
      await page.close();
    } finally {
      await host.close();
    }
  });

  test("options: a model of the list is installed, with progress, cancelled, and refused", async () => {
    const { models } = JSON.parse(await readFile(join(MODELS, "index.json"), "utf8"));
    const [listed] = models;
    const file = listed.files[0].url;
    const list = JSON.stringify({
      version: 1,
      models: [
        { ...listed, name: "elsewhere" },
        {
          ...listed,
          name: "smaller",
          target: "de-CH",
          files: [{ ...listed.files[0], url: "smaller.wanderwort", size: 3, sha256: "1".repeat(64) }],
        },
        {
          ...listed,
          name: "nowhere",
          target: "fr",
          files: [{ ...listed.files[0], url: "nowhere.wanderwort", sha256: "0".repeat(64) }],
        },
      ],
    });
    let slow = true;
    /** @type {string[]} */
    const ranges = [];
    const host = await serve({
      intercept: async (request, response) => {
        response.setHeader("Access-Control-Allow-Origin", "*");
        if (request.url === "/models/index.json") {
          response.end(list);
          return true;
        }
        if (request.url !== `/models/${file}`) return false;
        ranges.push(request.headers.range ?? "");
        if (!slow) return false;
        // The second half never arrives.
        const bytes = await readFile(join(MODELS, file));
        response.writeHead(200, { "Content-Length": bytes.length });
        response.write(bytes.subarray(0, bytes.length / 2));
        return true;
      },
    });
    try {
      const page = await browser.newPage();
      await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
      await shows(page, /German/, "#models");
      const own = await page.$eval("#list", (input) => /** @type {HTMLInputElement} */ (input).value);
      // Other tests may have caused the same file to be kept.
      await press(page, "Delete English–German");
      await shows(page, /Install English–German/, "#models");
      await useList(page, `${host.url}models/index.json`);
      await shows(page, /elsewhere/, "#models");

      /** The model that translates from English to German. */
      const serving = () =>
        page.evaluate(async () => {
          const { bestRoute } = await import(/** @type {any} */ ("/extension/models.js"));
          const route = await bestRoute("en", "de");
          return route.map((/** @type {{name: string}} */ model) => model.name).join();
        });
      assert.equal(await serving(), "elsewhere", "nothing is installed: the first");
      await page.evaluate(async () => {
        const { ModelStore } = await import(/** @type {any} */ ("/library/storage.js"));
        await (await ModelStore.open()).put("1".repeat(64), 0, new Uint8Array(3));
      });
      assert.equal(await serving(), "smaller", "it is installed");

      await press(page, "Install English–German");
      await page.waitForSelector("#job:not([hidden])");
      await page.waitForFunction(() => {
        const { value } = /** @type {HTMLProgressElement} */ (document.querySelector("#job-bar"));
        return value > 0.4 && value < 1;
      });
      assert.equal(await page.evaluate(() => document.activeElement?.id), "job-cancel");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#job", { hidden: true });
      assert.equal(await page.$eval("#problem", (node) => /** @type {HTMLElement} */ (node).hidden), true);
      await shows(page, /Install English–German/, "#models");

      slow = false;
      // What has arrived is kept, and can be deleted too.
      await shows(page, /Delete English–German/, "#models");
      await press(page, "Install English–German");
      await page.waitForFunction(
        () => !/Install English–German/.test(document.querySelector("#models")?.textContent ?? ""),
      );
      assert.match(ranges.at(-1) ?? "", /^bytes=[1-9]/, "it went on where it was cancelled");
      assert.equal(await serving(), "elsewhere", "the larger of two that are installed");

      await press(page, "Install English–French");
      await shows(page, /404/, "#problem:not([hidden])");
      await useList(page, own);
      await page.waitForFunction(() => !/elsewhere/.test(document.querySelector("#models")?.textContent ?? ""));
      await page.close();
    } finally {
      await host.close();
    }
  });
});

describe(
  "extension with permissions, chromium",
  { skip: !wanted.includes("chromium"), timeout: 5 * TIMEOUT_MS },
  () => {
    /** @type {Awaited<ReturnType<typeof serve>>} */
    let server;
    /** @type {string} */
    let own;
    before(async () => {
      const { intercept } = fixture("article.html").server ?? {};
      server = await serve({
        intercept: (request, response) => {
          if (request.url !== "/bare.html") return intercept?.(request, response) ?? false;
          response.writeHead(200, { "Content-Type": "text/html" }).end(BARE);
          return true;
        },
      });
      // The reader's answers to the browser's own questions, which cannot be clicked from outside: yes, to any page. Such
      // permissions cannot be given back; that is tested in Firefox.
      own = join(folder, "chrome-with-permissions");
      await cp(join(folder, "extension-chrome"), own, { recursive: true });
      const manifest = JSON.parse(await readFile(join(own, "manifest.json"), "utf8"));
      manifest.host_permissions = manifest.optional_host_permissions;
      delete manifest.optional_host_permissions;
      await writeFile(join(own, "manifest.json"), JSON.stringify(manifest));
    });
    after(() => server?.close());

    /**
     * @param {{profile?: string}} options
     * @param {(tools: {browser: Browser, extension: Extension, options: Page, article: () => Promise<Page>,
     *   inPage: () => Promise<boolean>}) => Promise<void>} action
     */
    async function withBrowser(options, action) {
      const browser = await launch("chromium", { extension: own, ...options });
      try {
        await browser.waitForTarget((target) => target.url().endsWith("/background.js"), { timeout: TIMEOUT_MS });
        const extension = [...(await browser.extensions()).values()].find(({ name }) => name === "Wanderwort");
        assert.ok(extension);
        await welcomed(browser);
        const page = await browser.newPage();
        await page.goto(`chrome-extension://${extension.id}/extension/options.html`);
        await shows(page, /German/, "#models");
        await action({
          browser,
          extension,
          options: page,
          article: async () => {
            const article = await browser.newPage();
            await article.goto(`${server.url}fixtures/article.html`);
            return article;
          },
          // Whether the page that was opened last has the extension's script in it.
          inPage: () =>
            page.evaluate(async (url) => {
              const { chrome } = /** @type {any} */ (globalThis);
              const tab = (await chrome.tabs.query({})).findLast((/** @type {any} */ tab) => tab.url?.startsWith(url));
              return chrome.tabs.sendMessage(tab.id, { type: "state" }, { frameId: 0 }).then(
                () => true,
                () => false,
              );
            }, server.url),
        });
      } finally {
        await browser.close();
      }
    }

    /** Where the script runs without the reader asking. @param {Page} options */
    const scripts = (options) =>
      options.evaluate(async () => {
        const { chrome } = /** @type {any} */ (globalThis);
        const registered = await chrome.scripting.getRegisteredContentScripts();
        return registered.flatMap((/** @type {any} */ { matches }) => matches).sort();
      });

    /** @param {Page} options @param {string[]} expected */
    async function waitForScripts(options, expected) {
      const end = Date.now() + 10_000;
      while ((await scripts(options)).join() !== expected.join() && Date.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.deepEqual(await scripts(options), expected);
    }

    test("offers a translation with a mark on the button, and looks at no page when it need not any more", () =>
      withBrowser({}, async ({ options, article, inPage }) => {
        await options.evaluate(() => /** @type {any} */ (globalThis).chrome.storage.local.set({ target: "de" }));
        await options.click("#offer");
        await waitForScripts(options, ["http://*/*", "https://*/*"]);
        const offered = await article();
        const mark = async () =>
          options.evaluate(async (url) => {
            const { chrome } = /** @type {any} */ (globalThis);
            const tab = (await chrome.tabs.query({})).findLast((/** @type {any} */ tab) => tab.url?.startsWith(url));
            return chrome.action.getBadgeText({ tabId: tab.id });
          }, server.url);
        const end = Date.now() + 20_000;
        while ((await mark()) !== "?" && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
        assert.equal(await mark(), "?");
        await shows(offered, /The old bridge/, "main");
        await offered.close();

        await options.bringToFront();
        await options.click("#offer");
        await waitForScripts(options, []);
        await article();
        assert.equal(await inPage(), false);
      }));

    test("always translates a site, through the browser's restart, until it is told to forget it", async () => {
      const profile = join(folder, "profile");
      // When Chromium ends, it forgets which extensions were loaded from outside. The same folder is the same extension to it,
      // with everything that it had stored.
      await withBrowser({ profile }, async ({ extension, options, article }) => {
        const page = await article();
        const popup = await openWindow(extension, page);
        await popup.waitForSelector("#translate:not(:disabled)");
        await popup.click("#site");
        await waitForScripts(options, ["http://127.0.0.1/*"]);
        await page.reload();
        await shows(page, /Die alte Brücke/, "main");

        // A tab that the browser discards to save memory is reloaded when the reader comes back to it.
        await options.bringToFront();
        const text = await options.evaluate(async (url) => {
          const { chrome } = /** @type {any} */ (globalThis);
          const tab = (await chrome.tabs.query({})).findLast((/** @type {any} */ tab) => tab.url?.startsWith(url));
          const { id, discarded } = await chrome.tabs.discard(tab.id);
          if (!discarded) return "It was not put away.";
          await chrome.tabs.update(id, { active: true });
          const read = { target: { tabId: id }, func: () => document.querySelector("main")?.textContent ?? "" };
          let text = "";
          for (let tries = 0; tries < 200 && !/Die alte Brücke/.test(text); tries++) {
            await new Promise((resolve) => setTimeout(resolve, 200));
            text = (await chrome.scripting.executeScript(read))[0].result;
          }
          return text;
        }, server.url);
        assert.match(text, /Die alte Brücke/);

        await options.bringToFront();
        await options.reload();
        await shows(options, /Delete English–German/, "#models");
        await options.$eval("#idle", (input) => Object.assign(input, { value: "7" }));
        await options.$eval("#idle", (input) => input.dispatchEvent(new Event("change")));
        await options.waitForFunction(async () => {
          const { chrome } = /** @type {any} */ (globalThis);
          return (await chrome.storage.local.get()).idleMinutes === 7;
        });
      });
      await withBrowser({ profile }, async ({ options, article, inPage }) => {
        assert.equal(await options.$eval("#idle", (input) => /** @type {HTMLInputElement} */ (input).value), "7");
        await shows(options, /Delete English–German/, "#models");
        await shows(options, /Remove http:\/\/127\.0\.0\.1/, "#always");
        await shows(await article(), /Die alte Brücke/, "main");
        assert.equal(await inPage(), true);
        await options.bringToFront();
        await options.focus("#always button");
        await options.keyboard.press("Enter");
        await waitForScripts(options, []);
        await options.waitForFunction(() => document.querySelector("#always button") === null);
        assert.equal(await options.evaluate(() => document.activeElement?.id), "always", "the focus is not lost");
        await article();
        assert.equal(await inPage(), false);
      });
    });

    test("loaded anew while a page is translated, it puts the page back and translates it from its own text", () =>
      withBrowser({}, async ({ browser, extension, article }) => {
        const page = await article();
        const open = () => openWindow(extension, page);
        const original = await page.$eval("main", (main) => main.innerHTML);
        const first = await open();
        await first.waitForSelector("#translate:not(:disabled)");
        await first.click("#translate");
        await shows(page, /Die alte Brücke/, "main");
        assert.equal(await browser.installExtension(own), extension.id);

        const second = await open();
        await second.waitForSelector("#translate:not(:disabled)");
        assert.equal(await page.$eval("main", (main) => main.innerHTML), original, "what the old one wrote is gone");
        assert.equal(await second.$eval("#source", (node) => /** @type {HTMLSelectElement} */ (node).value), "en");
        await second.click("#translate");
        await shows(page, /Die alte Brücke/, "main");
        await addParagraph(page, "The children play in the garden.");
        await shows(page, /Kinder/, "main");
        await second.click("#restore");
        await shows(page, /The old bridge over the river/, "main");
        await page.evaluate(() => document.querySelector("main > p")?.remove());
        assert.equal(await page.$eval("main", (main) => main.innerHTML), original);
      }));

    test("translates pages that have taken every global away", () =>
      withBrowser({}, async ({ options, article }) => {
        await options.evaluate(() => {
          const { chrome } = /** @type {any} */ (globalThis);
          return chrome.storage.local.set({ languages: { en: "de" } });
        });
        await options.click("#offer");
        await waitForScripts(options, ["http://*/*", "https://*/*"]);
        const page = await article();
        await page.goto(`${server.url}bare.html`);
        // The driver's own scripts fail in such a page; the extension's do not.
        const text = (added = "") =>
          options.evaluate(
            async (url, added) => {
              const { chrome } = /** @type {any} */ (globalThis);
              const tab = (await chrome.tabs.query({})).findLast((/** @type {any} */ tab) => tab.url?.startsWith(url));
              const func = (/** @type {string} */ added) => {
                const main = document.querySelector("main");
                if (added !== "") main?.append(Object.assign(document.createElement("p"), { textContent: added }));
                return main?.textContent;
              };
              const [{ result }] = await chrome.scripting.executeScript({
                target: { tabId: tab.id },
                func,
                args: [added],
              });
              return result;
            },
            server.url,
            added,
          );
        const become = async (/** @type {RegExp} */ pattern) => {
          const end = Date.now() + 40_000;
          while (!pattern.test(await text()) && Date.now() < end)
            await new Promise((resolve) => setTimeout(resolve, 100));
          assert.match(await text(), pattern);
        };
        await become(/Die alte Mühle steht/);
        await text("The children play in the garden.");
        await become(/Kinder/);
      }));

    test("a site's two schemes are two permissions", () =>
      withBrowser({}, async ({ options }) => {
        // The page's own modules; nothing is served over TLS here.
        await options.evaluate(async () => {
          const { allowSite, settingsChanged } = await import(/** @type {any} */ ("/extension/permissions.js"));
          const { changeSettings } = await import(/** @type {any} */ ("/extension/settings.js"));
          const pair = { source: "en", target: "de" };
          for (const origin of ["http://127.0.0.1:81", "https://127.0.0.1"]) await allowSite(origin);
          await changeSettings({ sites: { "http://127.0.0.1:81": pair, "https://127.0.0.1": pair } });
          await settingsChanged();
        });
        assert.deepEqual(await scripts(options), ["http://127.0.0.1/*", "https://127.0.0.1/*"]);
      }));
  },
);

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

      await page.evaluate(() =>
        addEventListener("pageshow", ({ persisted }) => Object.assign(globalThis, { persisted })),
      );
      // Firefox does not tell its driver when it shows a page from the back/forward cache, and the driver's own methods wait for that.
      const back = () => page.evaluate(() => setTimeout(() => history.back()));
      await page.goto(`${server.url}fixtures/form.html`);
      await back();
      await shows(page, /Die alte Brücke/, "main");
      assert.equal(await page.evaluate(() => Object(globalThis).persisted), true, "from the browser's cache");
      await shows(page, /Die alte Brücke/, "main");
      await addParagraph(page, "The teacher reads a book about birds.");
      await shows(page, /Lehrer/, "main");
      await page.evaluate(() => setTimeout(() => history.forward()));
      await page.waitForFunction(() => location.pathname.endsWith("form.html"), { polling: 100 });
      await back();
      await page.waitForFunction(() => location.pathname.endsWith("article.html"), { polling: 100 });
      await addParagraph(page, "My brother has bought a new house.");
      await shows(page, /Bruder/, "main");

      // Firefox ends scripts with their extension. What the old one has written must not be read as English by the new one, which says
      // that the page has to be reloaded.
      const shown = await page.$eval("main", (main) => main.innerHTML);
      await browser.installExtension(own);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      assert.equal(await page.$eval("main", (main) => main.innerHTML), shown);
      await page.evaluate(() => {
        Object.assign(globalThis, { isOld: true });
        setTimeout(() => location.reload());
      });
      await page.waitForFunction(() => !Object(globalThis).isOld, { polling: 100 });
      await shows(page, /Die alte Brücke/, "main");

      const foreign = proxy.seen.filter((address) => !address.startsWith(server.url) && !BROWSERS_OWN.test(address));
      assert.deepEqual(foreign, []);
      const here = proxy.seen.filter((address) => address.startsWith(server.url));
      assert.deepEqual(
        here
          .map((address) => new URL(address).pathname)
          .filter((path) => !/article\.html|form\.html|favicon\.ico/.test(path)),
        [],
        "the model comes with the extension",
      );
    } finally {
      await browser.close();
      await server.close();
      await proxy.close();
    }
  });

  // Add-ons that are loaded from outside are temporary in Firefox and do not outlive it, so its restart is not tested here.
  test("options and button's window: a model is installed; permissions are asked for, used, and given back", async () => {
    const pages = { id: "wanderwort@wanderwort.invalid", uuid: "0b1f3a52-6f8d-4a43-9d7e-1c2b3a4d5e6f" };
    const server = await serve(fixture("article.html").server);
    const browser = await launch("firefox", { extensionPages: pages });
    try {
      await browser.installExtension(join(folder, "extension-firefox"));
      const open = (/** @type {Page} */ page, /** @type {string} */ name, /** @type {string} */ ready) =>
        openExtensionPage(page, `moz-extension://${pages.uuid}/extension/${name}`, ready);
      const options = await browser.newPage();
      await open(options, "options.html", "#models button");
      await options.click("#models button");
      await shows(options, /Delete English–German/, "#models");

      /** What the extension may look at, and where its script runs without the reader asking. */
      const state = () =>
        options.evaluate(async () => {
          const { permissions, scripting } = /** @type {any} */ (globalThis).browser;
          const { origins } = await permissions.getAll();
          const scripts = await scripting.getRegisteredContentScripts();
          const matches = scripts.flatMap((/** @type {any} */ script) => script.matches);
          return [origins, matches].map((patterns) => patterns.sort().join(" ")).join(" | ");
        });
      /** @param {string} expected */
      const become = async (expected) => {
        const end = Date.now() + 10_000;
        while ((await state()) !== expected && Date.now() < end)
          await new Promise((resolve) => setTimeout(resolve, 50));
        assert.equal(await state(), expected);
      };
      const everywhere = "http://*/* https://*/*";
      await become(" | ");
      await options.evaluate(() => /** @type {any} */ (globalThis).browser.storage.local.set({ target: "de" }));
      await options.click("#offer");
      await become(`${everywhere} | ${everywhere}`);
      const article = await browser.newPage();
      await article.goto(`${server.url}fixtures/article.html`);
      await options.waitForFunction(
        async (url) => {
          const { tabs, action } = /** @type {any} */ (globalThis).browser;
          const [tab] = (await tabs.query({})).filter((/** @type {any} */ tab) => tab.url?.startsWith(url));
          return (await action.getBadgeText({ tabId: tab.id })) === "?";
        },
        { polling: 100 },
        server.url,
      );
      await options.bringToFront();
      await options.click("#offer");
      await become(" | ");

      // With every page allowed, the button's window works in a tab of its own: it asks for the tab in front.
      await options.click("#offer");
      await become(`${everywhere} | ${everywhere}`);
      const popup = await browser.newPage();
      await article.bringToFront();
      await open(popup, "popup.html", "#translate:not(:disabled)");
      await popup.click("#translate");
      await shows(article, /Die alte Brücke/, "main");
      await popup.click("#site");
      await popup.waitForFunction(async () => {
        const { sites } = await /** @type {any} */ (globalThis).browser.storage.local.get();
        return Object.keys(sites ?? {}).length === 1;
      });
      await options.bringToFront();
      await options.click("#offer");
      await become("http://127.0.0.1/* | http://127.0.0.1/*");
      await article.reload();
      await shows(article, /Die alte Brücke/, "main");
      await options.click("#always button");
      await become(" | ");
    } finally {
      await browser.close();
      await server.close();
    }
  });
});

for (const name of BROWSERS) {
  describe(`text in an editor, ${name}`, { skip: !wanted.includes(name), timeout: TIMEOUT_MS }, () => {
    test("is replaced where it stands, or not at all, and comes back", async () => {
      const server = await serve({});
      const browser = await launch(name);
      try {
        const page = await browser.newPage();
        await page.goto(`${server.url}blank.html`);
        const { left, html, undone } = await page.evaluate(async () => {
          const { paragraphsIn } = await import(/** @type {any} */ ("/extension/content/written.js"));
          const { Retyping } = await import(/** @type {any} */ ("/extension/content/retype.js"));
          const before =
            'Vor <b>I</b> allem<p>Das <a href="#x">alte Haus</a> und <img alt="" src="data:,"> da.</p>' +
            '<p><a href="#y">I</a></p><div>so<br><u>Zeile</u></div><p>ganz allein</p><pre>eins zwei\ndrei vier</pre>';
          const editor = Object.assign(document.createElement("div"), { innerHTML: before });
          editor.contentEditable = "true";
          document.body.append(editor);
          editor.focus();
          const all = document.createRange();
          all.selectNodeContents(editor);
          /** @type {string[]} */
          const left = [];
          for (const paragraph of paragraphsIn(editor, all).reverse()) {
            const retyping = new Retyping(editor);
            let isDone = true;
            for (const piece of [...paragraph.pieces.values()].reverse()) {
              const text = piece.text.replace(/\S(.*\S)?/, "neue Wörter 😀");
              isDone &&= await retyping.replace(piece, text, paragraph.isPlain);
            }
            if (isDone) continue;
            retyping.undo();
            left.push(paragraph.text);
          }
          const html = editor.innerHTML.replace(/&nbsp;/g, " ");
          for (let times = 0; times < 200 && document.execCommand("undo");) times++;
          return { left, html, undone: editor.innerHTML === before };
        });
        const words = "neue Wörter 😀";
        assert.equal(
          html,
          `${words} <b>${words}</b> ${words}<p>${words} <a href="#x">${words}</a> ${words} <img alt="" src="data:,"> ${words}</p>` +
            `<p><a href="#y">I</a></p><div>${words}<br><u>${words}</u></div><p>${words}</p><pre>${words}\n${words}</pre>`,
        );
        assert.deepEqual(left, ["I"], "a link of one letter would be gone with it");
        assert.equal(undone, true);
      } finally {
        await browser.close();
        await server.close();
      }
    });
  });
}
