/**
 * The packed extension as Mozilla's own linter sees it, which every version passes before it is published.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
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
