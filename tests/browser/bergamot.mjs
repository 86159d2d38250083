/**
 * Pages whose import map gives a program written for `@browsermt/bergamot-translator` either that package or the library's own classes, and
 * a registry of models as that package reads it.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MARIAN_FOLDER } from "./prototype.mjs";

const PACKAGE = fileURLToPath(new URL("../../node_modules/@browsermt/bergamot-translator/", import.meta.url));
const FIXTURES = fileURLToPath(new URL("fixtures/bergamot/", import.meta.url));

const SPECIFIER = "@browsermt/bergamot-translator/translator.js";

/** What the import map gives, by page. */
export const PAGES = /** @type {const} */ ({
  "theirs.html": "/theirs/translator.js",
  "ours.html": "/bergamot/bergamot.js",
});

/** @type {Record<string, string>} */
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** @param {string} script */
const page = (script) =>
  `<!doctype html><title>Program</title><script type="importmap">{"imports": {"${SPECIFIER}": "${script}"}}</script>`;

/** @param {string} folder @param {string} name @param {string} [sha256] */
function fileIn(folder, name, sha256) {
  const bytes = readFileSync(join(folder, name));
  const expectedSha256Hash = sha256 ?? createHash("sha256").update(bytes).digest("hex");
  return { name: `/models/${name}`, size: bytes.length, estimatedCompressedSize: bytes.length, expectedSha256Hash };
}

/** A model's files under the names of several pairs: only the form matters here. @param {string} folder */
function registry(folder) {
  const file = (/** @type {string} */ name, /** @type {string | undefined} */ sha256 = undefined) =>
    fileIn(folder, name, sha256);
  const [weights, vocabulary] = ["model.ende.intgemm.alphas.bin", "vocab.ende.spm"];
  const files = { model: file(weights), lex: file("lex.50.50.ende.s2t.bin"), vocab: file(vocabulary) };
  const { vocab, ...incomplete } = files;
  return {
    ende: files,
    fren: { model: files.model, lex: files.lex, srcvocab: vocab, trgvocab: vocab, config: { "beam-size": 1 } },
    enes: { ...files, vocab: file(vocabulary, "0".repeat(64)) },
    enpl: incomplete,
  };
}

/**
 * @param {string} [folder] the model's files; by default the prototype's
 * @returns {import("../../www/tools/serve.mjs").ServeOptions}
 */
export function bergamotServer(folder = MARIAN_FOLDER) {
  const list = JSON.stringify(registry(folder));
  return {
    models: folder,
    intercept: async (request, response) => {
      const path = (request.url ?? "").slice(1);
      const script = PAGES[/** @type {keyof typeof PAGES} */ (path)];
      const send = (/** @type {string} */ type, /** @type {string | Buffer} */ content) => {
        response.writeHead(200, { "Content-Type": type }).end(content);
        return true;
      };
      if (script) return send("text/html", page(script));
      if (path === "registry.json") return send("application/json", list);
      const place = [
        ["theirs/", PACKAGE],
        ["program/", FIXTURES],
      ].find(([prefix = ""]) => path.startsWith(prefix));
      if (!place || path.includes("..")) return false;
      const [prefix = "", folder = ""] = place;
      const content = await readFile(join(folder, path.slice(prefix.length))).catch(() => undefined);
      return content ? send(TYPES[extname(path)] ?? "application/octet-stream", content) : false;
    },
  };
}
