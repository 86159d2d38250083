/**
 * What the extension's background makes of pages that tell it about themselves, with a browser that only the test knows.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, beforeEach, test } from "node:test";

/** What the browser finds in texts, and what the reader has chosen. */
let detected = "";
/** @type {Record<string, unknown>} */
let settings = {};
/** What the button has been told to say. @type {string[]} */
let badges = [];

/** @type {(question: object, sender?: object) => Promise<any>} */
let ask;

before(async () => {
  const index = await readFile(new URL("../../models/index.json", import.meta.url));
  /** @type {(question: object, sender: object, respond: (answer: unknown) => void) => void} */
  let listener = () => {};
  const nobody = { addListener() {} };
  Object.assign(globalThis, {
    location: new URL("chrome-extension://wanderwort/extension/background.js"),
    fetch: async () => new Response(index),
    chrome: {
      runtime: {
        getURL: (/** @type {string} */ path) => `chrome-extension://wanderwort/${path}`,
        onMessage: { addListener: (/** @type {typeof listener} */ added) => (listener = added) },
        onInstalled: nobody,
      },
      storage: { local: { get: async () => settings } },
      permissions: { onAdded: nobody },
      contextMenus: { onClicked: nobody },
      commands: { onCommand: nobody },
      i18n: {
        getMessage: (/** @type {string} */ name) => name,
        getUILanguage: () => "de",
        detectLanguage: async () => ({ isReliable: true, languages: [{ language: detected, percentage: 99 }] }),
      },
      action: {
        setBadgeText: async (/** @type {{text: string}} */ { text }) => badges.push(text),
        setTitle: async () => {},
      },
    },
  });
  await import("../../www/extension/background.js");
  ask = (question, sender = {}) => new Promise((resolve) => listener(question, sender, resolve));
});

beforeEach(() => {
  settings = {};
  badges = [];
});

test("of languages that are alike a page is in the one that it declares, and who reads one of them reads it", async () => {
  settings = { reads: ["de", "id", "hr", "nn"] };
  for (const [declared, found, source, isRead] of [
    ["nb", "no", "nb", true],
    ["ms-MY", "id", "ms", true],
    ["bs", "hr", "bs", true],
    ["sr-Latn", "hr", "hr", true],
    ["", "no", "no", true],
    ["sr", "sr", "sr", false],
    ["en", "sv", "sv", false],
    ["no language", "sv", "sv", false],
  ]) {
    detected = String(found);
    const pair = await ask({ type: "pair", sample: { declared, text: "" } });
    assert.deepEqual([pair.source, pair.isRead], [source, isRead], `${found} in a page in ${declared}`);
  }
});
