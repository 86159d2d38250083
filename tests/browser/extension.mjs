/**
 * What the tests of the extension share.
 */
import { TimeoutError } from "puppeteer-core";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("puppeteer-core").Browser} Browser */
/** @typedef {import("puppeteer-core").Extension} Extension */

/**
 * @param {Page} page
 * @param {RegExp} pattern
 * @param {string} [selector]
 */
export const shows = (page, pattern, selector = "body") =>
  page.waitForFunction(
    (selector, source) => new RegExp(source).test(document.querySelector(selector)?.textContent ?? ""),
    { polling: 100, timeout: 40_000 },
    selector,
    pattern.source,
  );

/**
 * The page that opens when the extension is installed. It comes to the front, where other tests have theirs, so they wait for it.
 * @param {Browser} browser
 * @returns {Promise<Page | null>} null if it was installed before
 */
export async function welcomed(browser) {
  const isIt = (/** @type {import("puppeteer-core").Target} */ target) => target.url().endsWith("/welcome.html");
  const target = await browser.waitForTarget(isIt, { timeout: 5000 }).catch(() => null);
  return target?.page() ?? null;
}

/** Opens the window of the button, in Chromium. @param {Extension} extension @param {Page} page @returns {Promise<Page>} */
export async function openWindow(extension, page) {
  await page.bringToFront();
  await extension.triggerAction(page);
  for (;;) {
    const popup = (await extension.pages()).find((page) => page.url().endsWith("/popup.html"));
    if (popup) return popup;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Clicks the button with a label, which has to be there. @param {Page} page @param {string} label */
export async function press(page, label) {
  const button = await page.waitForSelector(`::-p-xpath(//button[normalize-space()="${label}"])`);
  await button?.evaluate((button) => /** @type {HTMLElement} */ (button).click());
}

/** @param {Page} page @param {string} address */
export const useList = (page, address) =>
  page.$eval(
    "#list",
    (input, address) => {
      /** @type {HTMLInputElement} */ (input).value = address;
      input.dispatchEvent(new Event("change"));
    },
    address,
  );

/**
 * Opens a page of the extension in Firefox, which does not say when it is there; what waits in the previous page may end with an error.
 * @param {Page} page
 * @param {string} address
 * @param {string} ready a selector
 */
export async function openExtensionPage(page, address, ready) {
  // The page may have been there before: what is waited for is in the next document.
  await page.evaluate(() => document.documentElement.setAttribute("data-left", ""));
  page.goto(address).catch(() => {});
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      await page.waitForSelector(`:root:not([data-left]) ${ready}`, { timeout: Math.max(end - Date.now(), 1) });
      return;
    } catch (error) {
      if (error instanceof TimeoutError || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
