/**
 * What the browser tests share: a server, a browser for each engine, pages that record every error and request.
 */
import { after, before, describe } from "node:test";
import { serve } from "../../www/tools/serve.mjs";
import { BROWSERS, TIMEOUT_MS, launch } from "./browsers.mjs";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").Browser} Browser */
/** @typedef {import("../../www/tools/serve.mjs").ServeOptions} ServeOptions */

/** An empty page on the server, to run the library in. */
export const BLANK = "blank.html";

/**
 * @typedef {object} OpenPage
 * @property {Page} page
 * @property {string} url the server's address
 * @property {string[]} errors uncaught errors in the page
 * @property {string[]} requests the addresses of everything that the page asked for
 * @property {() => Promise<void>} closeServer
 */

/**
 * @typedef {object} Stage
 * @property {import("./browsers.mjs").BrowserName} name
 * @property {WithPage} withPage
 * @property {(limits: {storageKilobytes?: number, exposeGc?: boolean}, action: (withPage: WithPage) => Promise<void>) => Promise<void>} launchWith
 *   runs the action in a browser of its own
 */

/**
 * Makes Chromium start service workers without waiting for the driver. Puppeteer pauses each when it starts and resumes it at once, even one
 * that the browser is just ending; that one then never ends, and the navigation that a newer worker is to answer waits for it forever.
 * Puppeteer has no option for this, so its own sessions are told.
 * @param {Page} page
 */
export async function leaveServiceWorkersAlone(page) {
  const session = /** @type {any} */ (page)._client();
  const attach = (/** @type {object[]} */ ...excluded) => ({
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [...excluded, { type: "service_worker", exclude: true }, {}],
  });
  await session.send("Target.setAutoAttach", attach());
  // Pages are attached to through their tabs.
  await session.connection().send("Target.setAutoAttach", attach({ type: "page", exclude: true }));
}

/**
 * Opens a page in a fresh profile, with a server of its own, and closes both.
 * @callback WithPage
 * @param {PageOptions} options
 * @param {(opened: OpenPage) => Promise<void>} action
 * @returns {Promise<void>}
 */

/** @typedef {{path?: string, server?: ServeOptions}} PageOptions */

/**
 * Runs the same tests in every browser, or in those that the variable BROWSERS names, if it is set.
 * @param {string} title
 * @param {(stage: Stage) => void} tests
 */
export function inEveryBrowser(title, tests) {
  const wanted = process.env.BROWSERS?.split(",") ?? BROWSERS;
  for (const name of BROWSERS.filter((browser) => wanted.includes(browser))) {
    describe(`${title}, ${name}`, { timeout: 10 * TIMEOUT_MS }, () => {
      /** @type {Browser} */
      let browser;
      before(async () => {
        browser = await launch(name);
      });
      after(() => browser?.close());
      tests({
        name,
        withPage: (options, action) => withPage(name, browser, options, action),
        launchWith: async (limits, action) => {
          const own = await launch(name, limits);
          try {
            await action((options, inner) => withPage(name, own, options, inner));
          } finally {
            await own.close();
          }
        },
      });
    });
  }
}

/**
 * @param {import("./browsers.mjs").BrowserName} name
 * @param {Browser} browser
 * @param {PageOptions} options
 * @param {(opened: OpenPage) => Promise<void>} action
 */
async function withPage(name, browser, { path = "", server = {} }, action) {
  const { url, close: closeServer } = await serve({
    ...server,
    intercept: async (request, response) => {
      if (await server.intercept?.(request, response)) return true;
      if (request.url !== `/${BLANK}`) return false;
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>Blank</title>");
      return true;
    },
  });
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    if (name === "chromium") await leaveServiceWorkersAlone(page);
    /** @type {string[]} */
    const errors = [];
    /** @type {string[]} */
    const requests = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(url + path, { waitUntil: "load", timeout: TIMEOUT_MS });
    await action({ page, url, errors, requests, closeServer });
  } finally {
    await context.close();
    await closeServer();
  }
}

/**
 * Loads the library in a blank page and keeps a translator as `translator` there.
 * @param {Page} page
 * @param {object} [options] of `Translator.create`
 */
export async function createTranslator(page, options = {}) {
  return page.evaluate(async (options) => {
    const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", ...options });
    Object.assign(globalThis, { Translator, translator });
    return translator.info;
  }, options);
}

/**
 * Puts what the page saves into the global `saved` instead of into the reader's download folder.
 * @param {Page} page
 */
export async function catchSaved(page) {
  await page.evaluate(() => {
    /** @type {Blob[]} */
    const blobs = [];
    const make = URL.createObjectURL;
    URL.createObjectURL = (/** @type {any} */ blob) => (blobs.push(blob), make(blob));
    HTMLAnchorElement.prototype.click = function () {
      Object.assign(globalThis, { saved: { name: this.download, blob: blobs[blobs.length - 1] } });
    };
  });
}
