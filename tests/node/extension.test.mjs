/**
 * The extension without a browser: as Mozilla's own linter sees it, which every version passes before it is published, and what it says in the
 * reader's language.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildExtension } from "../../www/tools/extension.mjs";
import { manifest } from "../../www/tools/manifest.mjs";

const LINTER = fileURLToPath(new URL("../../node_modules/.bin/addons-linter", import.meta.url));

test("Mozilla's linter finds nothing in the extension", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
  context.after(() => rmSync(folder, { recursive: true }));
  await buildExtension(folder);
  const { stdout } = spawnSync(LINTER, ["--output", "json", join(folder, "extension-firefox")], { encoding: "utf8" });
  const { count, errors, warnings, notices } = JSON.parse(stdout);
  assert.ok(count >= 0);
  const found = [...errors, ...warnings, ...notices].map(({ code, file, message }) => `${file}: ${code}: ${message}`);
  // Workers import the module that they are told to. The extension's policy allows its own scripts only, whatever the address.
  const { extension_pages: policy } = manifest("firefox", "1.0").content_security_policy;
  assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
  const modules =
    /^(worker\/(documents|engine|worker)|library\/detector-in-place)\.js: UNSAFE_VAR_ASSIGNMENT: Unsafe call to import/;
  assert.deepEqual(
    found.filter((line) => !modules.test(line)),
    [],
  );
});

const LOCALES = new URL("../../www/extension/_locales/", import.meta.url);

/** What the extension says in a language. @param {string} name @returns {Record<string, {message: string}>} */
const messagesIn = (name) => JSON.parse(readFileSync(new URL(`${name}/messages.json`, LOCALES), "utf8"));

test("every language has all messages with the same parts, and says which it is", () => {
  const partsOf = (/** @type {string} */ name) =>
    Object.entries(messagesIn(name))
      .map(([key, { message }]) => [key, ...[...new Set(message.match(/\$\d/g))].sort()].join(" "))
      .sort();
  for (const name of readdirSync(LOCALES)) {
    assert.equal(messagesIn(name).locale?.message, name);
    assert.deepEqual(partsOf(name), partsOf("en"), name);
  }
});

test("pages are in the language of the messages, whatever the browser's is", async (context) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, "chrome");
  context.after(() => {
    if (before) Object.defineProperty(globalThis, "chrome", before);
    else Reflect.deleteProperty(globalThis, "chrome");
  });
  let messages = messagesIn("de");
  const getMessage = (/** @type {string} */ name, /** @type {string[]} */ parts = []) =>
    name === "@@ui_locale"
      ? "fr"
      : (messages[name]?.message.replace(/\$(\d)/g, (_, place) => parts[Number(place) - 1] ?? "") ?? "");
  Object.assign(globalThis, { chrome: { i18n: { getMessage } } });
  const { localize, megabytes } = await import("../../www/extension/messages.js");
  const { Problem, problemOf, sayProblem } = await import("../../www/extension/problems.js");
  const page = { documentElement: { lang: "" }, querySelectorAll: () => [] };
  localize(/** @type {any} */ (page));
  assert.equal(page.documentElement.lang, "de");
  assert.match(megabytes(6_830_000), /^6,8\sMB$/);
  assert.match(
    sayProblem(problemOf(new Problem("noModel", "fr", "fi"))),
    /^Für Französisch nach Finnisch gibt es kein/,
  );
  assert.match(sayProblem(problemOf(new Problem("noEngine"))), /antwortet nicht\.$/);
  assert.match(sayProblem(problemOf(new Error("Odd."))), /^Die Übersetzung ist fehlgeschlagen: Odd\.$/);
  messages = messagesIn("en");
  localize(/** @type {any} */ (page));
  assert.equal(page.documentElement.lang, "en");
  assert.match(megabytes(6_830_000), /^6\.8\sMB$/);
});
