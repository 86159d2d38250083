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
 * @param {object} [limits]
 * @param {number} [limits.storageKilobytes] how much sites may store, which only Firefox takes at its start
 * @param {number} [limits.proxyPort] a proxy for every request, to this machine too
 * @param {string} [limits.extension] an unpacked extension, which Chromium loads
 * @param {boolean} [limits.exposeGc] gives pages a function `gc`, in Chromium
 * @param {string} [limits.profile] a folder for Chromium's profile, which stays
 * @param {{id: string, uuid: string}} [limits.extensionPages] for Firefox: an extension that may be driven too, and where its pages are to
 *   lie; permissions that it asks for after a click are granted
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
      // Firefox lets itself be led to extensions' pages only so.
      args: limits.extensionPages ? ["--remote-allow-system-access"] : [],
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
        ...(limits.extensionPages
          ? {
              "extensions.webextensions.uuids": JSON.stringify({
                [limits.extensionPages.id]: limits.extensionPages.uuid,
              }),
              "extensions.webextOptionalPermissionPrompts": false,
            }
          : {}),
        ...(limits.storageKilobytes ? { "dom.quotaManager.temporaryStorage.fixedLimit": limits.storageKilobytes } : {}),
      },
    });
  }
  return puppeteer.launch({
    ...common,
    ...(limits.extension ? { enableExtensions: [limits.extension], pipe: true } : {}),
    ...(limits.profile ? { userDataDir: limits.profile } : {}),
    browser: "chrome",
    executablePath: first("/usr/bin/chromium", "/usr/bin/google-chrome"),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--no-first-run",
      ...(limits.exposeGc ? ["--js-flags=--expose-gc"] : []),
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
