/**
 * The model as a package, in folders like `models/`.
 */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WANDERWORT } from "./native.mjs";
import { MARIAN_FOLDER } from "./prototype.mjs";

/** @typedef {import("../../www/library/catalogue.js").ModelEntry} ModelEntry */

/**
 * @typedef {object} PackageFolder
 * @property {string} path
 * @property {string} name of the package in it
 * @property {Buffer<ArrayBuffer>} bytes the package
 */

/**
 * Converts the model and writes the list that names it.
 * @param {string} [name] the model's; packages of other names are other files
 * @returns {PackageFolder}
 */
export function packageFolder(name = "prototype") {
  const path = mkdtempSync(join(tmpdir(), "wanderwort-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  const file = "en-de.wanderwort";
  const options = ["--name", name, "--source-language", "en", "--target-language", "de"];
  execFileSync(WANDERWORT, ["convert", "--from", MARIAN_FOLDER, "--to", join(path, file), ...options], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const bytes = readFileSync(join(path, file));
  writeFileSync(join(path, "index.json"), packageList(file, bytes));
  return { path, name: file, bytes };
}

/**
 * A list of models that names one package.
 * @param {string} url
 * @param {Buffer} bytes
 * @returns {string}
 */
export function packageList(url, bytes) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const files = [{ role: "package", url, size: bytes.length, sha256 }];
  return JSON.stringify({ version: 1, models: [{ name: "en-de", source: "en", target: "de", files }] });
}

/**
 * Where a package's sections end, the header's end first and the file's last.
 * @param {string} path
 * @returns {number[]} offsets in bytes
 */
export function sectionBorders(path) {
  const report = execFileSync(WANDERWORT, ["inspect", path], { encoding: "utf8" });
  const [, table = ""] = report.split("\nSections\n");
  let end = 0;
  return Array.from(table.matchAll(/^ +([\d,]+)  (?:[0-9a-f]{8}|        )  /gm), ([, bytes = ""]) => {
    end += Number(bytes.replaceAll(",", ""));
    return end;
  });
}

/**
 * The checksum of the weights that a package unpacks to, by the native reader.
 * @param {string} path
 */
export function weightsChecksum(path) {
  const report = execFileSync(WANDERWORT, ["inspect", path], { encoding: "utf8" });
  const found = /checksum ([0-9a-f]{8})\n/.exec(report)?.[1];
  if (found === undefined) throw new Error(`no checksum in:\n${report}`);
  return found;
}
