/**
 * The prototype as Marian's files. In the repository the largest of them are compressed.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** Its folder, unpacked. */
export const MARIAN_FOLDER = unpacked(fileURLToPath(new URL("../data/en-de.prototype", import.meta.url)));

/** A copy of a folder in which its compressed files are unpacked. @param {string} folder */
function unpacked(folder) {
  const place = mkdtempSync(join(tmpdir(), "wanderwort-"));
  process.on("exit", () => rmSync(place, { recursive: true, force: true }));
  const copy = join(place, basename(folder));
  mkdirSync(copy);
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(copy, name.replace(/\.gz$/, "")), name.endsWith(".gz") ? gunzipSync(bytes) : bytes);
  }
  return copy;
}
