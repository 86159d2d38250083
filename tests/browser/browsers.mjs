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
 * @param {{storageKilobytes?: number, proxyPort?: number, extension?: string}} [limits] how much sites may store, which only
 *   Firefox takes at its start; a proxy for every request, to this machine too; an unpacked extension
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
        ...(limits.proxyPort
          ? {
              "network.proxy.type": 1,
              "network.proxy.http": "127.0.0.1",
              "network.proxy.http_port": limits.proxyPort,
              "network.proxy.ssl": "127.0.0.1",
              "network.proxy.ssl_port": limits.proxyPort,
              "network.proxy.allow_hijacking_localhost": true,
              "network.proxy.no_proxies_on": "",
            }
          : {}),
        ...(limits.storageKilobytes ? { "dom.quotaManager.temporaryStorage.fixedLimit": limits.storageKilobytes } : {}),
      },
    });
  }
  return puppeteer.launch({
    ...common,
    ...(limits.extension ? { enableExtensions: [limits.extension], pipe: true } : {}),
    browser: "chrome",
    executablePath: first("/usr/bin/chromium", "/usr/bin/google-chrome"),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--no-first-run",
      ...(limits.proxyPort
        ? [
            `--proxy-server=127.0.0.1:${limits.proxyPort}`,
            "--proxy-bypass-list=<-loopback>",
            "--disable-component-update",
            "--disable-sync",
          ]
        : []),
    ],
  });
}
