/**
 * What Marian's browser build (`@browsermt/bergamot-translator`, in Chromium) translates with the int8 models that `make.py` has written to a folder:
 *
 *     node int8.mjs FOLDER
 *
 * writes `NAME.int8.tsv` beside `NAME.tsv`, whose sentences it takes.
 */
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../../browser/browsers.mjs";
import { serve } from "../../../www/tools/serve.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../../node_modules/@browsermt/bergamot-translator/", import.meta.url));

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: node int8.mjs FOLDER");
const server = await serve({
  port: 0,
  intercept: async (request, response) => {
    const path = (request.url ?? "").slice(1);
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ content) => {
      response.writeHead(200, { "Content-Type": type }).end(content);
      return true;
    };
    if (path === "empty.html") return send("text/html", "<!doctype html><title>Goldens</title>");
    if (path.startsWith("shapes/")) return send("application/octet-stream", readFileSync(join(folder, path.slice(7))));
    if (!path.startsWith("theirs/")) return false;
    const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    return send(type, readFileSync(join(PACKAGE, path.slice(7))));
  },
});
const browser = await launch("chromium");
try {
  const page = await browser.newPage();
  await page.goto(`${server.url}empty.html`);
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(HERE, `${name}.tsv`), "utf8").trimEnd().split("\n");
    const sources = lines.map((line) => line.split("\t")[0] ?? "");
    const found = await page.evaluate(
      async (name, sources) => {
        const { LatencyOptimisedTranslator, TranslatorBacking } = await import(
          /** @type {any} */ ("/theirs/translator.js")
        );
        const read = async (/** @type {string} */ file) => (await fetch(`/shapes/${name}/${file}`)).arrayBuffer();
        class Backing extends TranslatorBacking {
          async loadModelRegistery() {
            return [{ from: "en", to: "de", files: {} }];
          }
          async loadTranslationModel() {
            return {
              model: await read("model.bin"),
              shortlist: await read("lex.bin"),
              vocabs: [await read("source.spm"), await read("target.spm")],
            };
          }
        }
        const translator = new LatencyOptimisedTranslator({}, new Backing({}));
        const found = [];
        for (const text of sources) {
          const { target } = await translator.translate({ from: "en", to: "de", text });
          found.push(target.text);
        }
        await translator.delete();
        return found;
      },
      name,
      sources,
    );
    writeFileSync(join(HERE, `${name}.int8.tsv`), sources.map((source, i) => `${source}\t${found[i]}\n`).join(""));
    console.log(name, new Set(found).size, found[0]?.slice(0, 90));
  }
} finally {
  await browser.close();
  await server.close();
}
