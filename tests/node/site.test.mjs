/**
 * The site as a folder, with the API pages that `build.sh` has made.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSite } from "../../www/tools/site.mjs";

const MODELS = fileURLToPath(new URL("../../models", import.meta.url));
const API = fileURLToPath(new URL("../../dist/api", import.meta.url));

test("the site holds the API pages, links to them, and they need nothing from elsewhere", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
  context.after(() => rmSync(folder, { recursive: true }));
  await buildSite(join(folder, "with"), MODELS, API);
  const read = (/** @type {string} */ path) => readFileSync(join(folder, path), "utf8");
  assert.match(read("with/index.html"), /<a id="api" href="api\/index\.html">/);
  const { files } = JSON.parse(read("with/site.json"));
  assert.ok("library/wanderwort.js" in files && !("node/node.js" in files), "nothing for servers");
  assert.ok("pkg/language-detector/LICENSE.txt" in files, "the licence of what is not ours");
  const pages = Object.keys(files).filter((path) => /^api\/.*\.html$/.test(path));
  for (const name of [
    "classes/Translator",
    "classes/LanguageDetector",
    "functions/translatePage",
    "functions/modelFiles",
  ]) {
    assert.ok(pages.includes(`api/${name}.html`), `${name} in ${pages}`);
  }
  assert.match(read("with/api/classes/Translator.html"), /QuotaExceededError/);
  for (const page of pages) {
    const loads = read(`with/${page}`).matchAll(/<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="([^"]*)"/g);
    for (const [, address] of loads) assert.doesNotMatch(address, /^(?:[a-z]+:)?\/\//, page);
  }
  await buildSite(join(folder, "without"));
  assert.match(read("without/index.html"), /<a id="api"[^>]* hidden>/, "where there are none the page has no link");
});
