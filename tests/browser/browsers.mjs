/**
 * The real browsers that the page is tested in.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const EXECUTABLES = {
  firefox: () => first("/usr/bin/firefox-esr", "/usr/bin/firefox"),
  chromium: () => first("/usr/bin/chromium", "/usr/bin/google-chrome"),
};

/** Firefox looks for updates, snippets and blocklists of its own at startup; the tests have no network. */
const WITHOUT_NETWORK = {
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

/**
 * Opens an address in a browser that nobody drives or observes, like a reader's: the page itself must tell the server what it sees.
 * @param {BrowserName} name
 * @param {string} url
 * @returns {Promise<{group: number, close: () => Promise<void>}>} the group of its processes, and what ends them
 */
export async function openAlone(name, url) {
  const profile = await mkdtemp(join(tmpdir(), "alone-"));
  // Without the last two, Firefox opens pages of its own.
  const preferences = {
    ...WITHOUT_NETWORK,
    "browser.aboutwelcome.enabled": false,
    "termsofuse.bypassNotification": true,
  };
  const lines = Object.entries(preferences).map(([key, value]) => `user_pref("${key}", ${value});\n`);
  await writeFile(join(profile, "user.js"), lines.join(""));
  const args = {
    firefox: ["--headless", "--no-remote", "--profile", profile, url],
    chromium: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"].concat(
      `--user-data-dir=${profile}`,
      url,
    ),
  };
  // A group of its own: the browser's start script and all its processes end together.
  const child = spawn(EXECUTABLES[name](), args[name], { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const close = async () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { group: child.pid ?? 0, close };
}

/**
 * @param {BrowserName} name
 * @param {object} [limits]
 * @param {number} [limits.storageKilobytes] how much sites may store, which only Firefox accepts at startup
 * @param {number} [limits.proxyPort] a proxy for every request, to this machine too
 * @param {string} [limits.extension] an unpacked extension, which Chromium loads
 * @param {boolean} [limits.exposeGc] gives pages a function `gc`, in Chromium
 * @param {string} [limits.profile] a folder for Chromium's profile, which stays
 * @param {{id: string, uuid: string}} [limits.extensionPages] for Firefox: an extension that may be driven too, and where its pages are to
 *   be; permissions that it asks for after a click are granted
 * @returns {Promise<import("puppeteer-core").Browser>}
 */
export function launch(name, limits = {}) {
  /** @type {import("puppeteer-core").LaunchOptions} */
  const common = { headless: true, protocolTimeout: 2 * TIMEOUT_MS, timeout: TIMEOUT_MS };
  if (name === "firefox") {
    return puppeteer.launch({
      ...common,
      browser: "firefox",
      executablePath: EXECUTABLES.firefox(),
      // Only in this way can Firefox be directed to extensions' pages.
      args: limits.extensionPages ? ["--remote-allow-system-access"] : [],
      extraPrefsFirefox: {
        ...WITHOUT_NETWORK,
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
    executablePath: EXECUTABLES.chromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--no-first-run",
      // For each window Chromium would load two pages of its own: what drops down from the address bar.
      "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
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
