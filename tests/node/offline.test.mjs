/**
 * The site's service worker, in place of a browser's.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

test("a page that asks for a module to be kept has an answer even if the browser fails", async () => {
  /** @type {Record<string, (event: object) => void>} */
  const listeners = {};
  const self = {
    location: { href: "https://example.org/offline.js?build=1" },
    addEventListener: (/** @type {string} */ type, /** @type {(event: object) => void} */ listener) =>
      (listeners[type] = listener),
  };
  const caches = { open: () => Promise.reject(new Error("storage is closed")) };
  runInNewContext(readFileSync(new URL("../../www/offline.js", import.meta.url), "utf8"), { self, caches, URL });
  /** @type {object[]} */
  const answers = [];
  /** @type {Promise<unknown>[]} */
  const waited = [];
  listeners.message?.({
    data: { variant: "simd128" },
    ports: [{ postMessage: (/** @type {object} */ answer) => answers.push(answer) }],
    waitUntil: (/** @type {Promise<unknown>} */ promise) => waited.push(promise),
  });
  await Promise.allSettled(waited);
  assert.equal(JSON.stringify(answers), '[{"kept":false}]');
});
