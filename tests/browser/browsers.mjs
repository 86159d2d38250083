/**
 * The real browsers that the page is tested in.
 */
import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

/** @typedef {"chromium" | "firefox"} BrowserName */

/** @type {BrowserName[]} */
export const BROWSERS = ["chromium", "firefox"];

/** Two busy cores can be very slow; what takes longer than this hangs. */
export const TIMEOUT_MS = 120_000;

/** @param {string[]} paths */
function first(...paths) {
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error(`none of ${paths.join(", ")} is there; build.sh installs the browsers`);
  return found;
}

/**
 * @param {BrowserName} name
 * @param {{storageKilobytes?: number}} [limits] how much sites may store; only Firefox takes this at its start
 * @returns {Promise<import("puppeteer-core").Browser>}
 */
export function launch(name, limits = {}) {
  /** @type {import("puppeteer-core").LaunchOptions} */
  const common = { headless: true, protocolTimeout: 2 * TIMEOUT_MS, timeout: TIMEOUT_MS };
  if (name === "firefox") {
    return puppeteer.launch({
      ...common,
      browser: "firefox",
      executablePath: first("/usr/bin/firefox-esr", "/usr/bin/firefox"),
      extraPrefsFirefox: {
        // Firefox looks for updates, snippets and blocklists of its own at its start; the tests have no network.
        "network.captive-portal-service.enabled": false,
        "network.connectivity-service.enabled": false,
        ...(limits.storageKilobytes ? { "dom.quotaManager.temporaryStorage.fixedLimit": limits.storageKilobytes } : {}),
      },
    });
  }
  return puppeteer.launch({
    ...common,
    browser: "chrome",
    executablePath: first("/usr/bin/chromium", "/usr/bin/google-chrome"),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--no-first-run",
    ],
  });
}
