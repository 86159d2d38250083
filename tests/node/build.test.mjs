/**
 * What `build.sh` says where something is missing: in each case, the command that installs it.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const BUILD = fileURLToPath(new URL("../../build.sh", import.meta.url));

/** What the script itself uses; neither compilers nor package managers. */
const BASICS = [
  "bash",
  "cat",
  "dirname",
  "find",
  "grep",
  "id",
  "mktemp",
  "rm",
  "sed",
  "sha256sum",
  "cut",
  "sort",
  "xargs",
];

/**
 * Runs a command of the script where only basic programs and `programs` are found; each of the latter prints a line.
 * @param {import("node:test").TestContext} context
 * @param {Record<string, string>} programs
 * @param {string[]} command
 */
function complaint(context, programs, ...command) {
  const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const name of BASICS) {
    symlinkSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(folder, name));
  }
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!${join(folder, "bash")}\necho '${line}'\n`, { mode: 0o755 });
  }
  const { status, stderr } = spawnSync(join(folder, "bash"), [BUILD, ...command], {
    env: { PATH: folder },
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  return stderr;
}

test("without Rust, rustup's installation is printed", (context) => {
  assert.match(complaint(context, {}, "native"), /Rust is missing[^]*sh\.rustup\.rs/);
});

test("an old Rust is named, and what brings a newer one", (context) => {
  const old = { cargo: "cargo 1.80.0 (376290515 2024-07-16)" };
  assert.match(complaint(context, old, "native"), /this is cargo 1\.80\.0[^]*sh\.rustup\.rs/);
  assert.match(complaint(context, { ...old, rustup: "" }, "native"), /rustup update stable/);
});

test("an old Node.js is named, and what brings a newer one", (context) => {
  assert.match(complaint(context, { node: "18", npm: "9" }, "run"), /this is 18[^]*nvm install/);
});

test("without Node.js its installation is printed", (context) => {
  assert.match(complaint(context, {}, "run"), /Node\.js 20 or newer with npm is missing[^]*nvm install/);
});
