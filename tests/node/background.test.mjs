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

test("what the button says of a tab is not for another site's frame in it to decide", async () => {
  settings = { reads: ["de"], offer: true };
  const tab = { id: 7 };
  const page = { tab, frameId: 0, origin: "https://paper.example", url: "https://paper.example/" };
  const frame = { tab, frameId: 12, origin: "https://films.example", url: "https://films.example/embedded" };
  const arrives = async (/** @type {string} */ language, /** @type {object} */ sender) => {
    detected = language;
    await ask({ type: "arrived", declared: language, text: "" }, sender);
  };
  await arrives("de", page);
  await arrives("en", frame);
  assert.deepEqual(badges, [], "the page is in the reader's language");
  await arrives("en", page);
  await ask({ type: "complete" }, page);
  await ask({ type: "restored" }, frame);
  assert.deepEqual(badges, ["?", "✓"]);
  await ask({ type: "restored" }, page);
  await ask({ type: "complete" }, frame);
  assert.deepEqual(badges, ["?", "✓", ""]);
  settings = { ...settings, sites: { "https://films.example": { source: "en", target: "de" } } };
  const wanted = await ask({ type: "arrived", declared: "en", text: "" }, frame);
  assert.equal(wanted?.source, "en", "a site that is always translated is so in frames too");
});
