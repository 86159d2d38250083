/** The module that reads and writes files, with a translator that shouts in the engine's place. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { translateFile } from "../../www/worker/documents.js";
import { book, partOf } from "../browser/books.mjs";

const pkg = new URL("../../www/pkg/documents/", import.meta.url);
const addresses = {
  script: new URL("wanderwort.js", pkg).href,
  wasm: /** @type {any} */ (await readFile(new URL("wanderwort_bg.wasm", pkg))),
};

/** Answers later, as the engine does, and knows which passages it still has. */
class Shouting {
  /** @type {Set<number>} */
  underWay = new Set();
  most = 0;
  #next = 0;

  /** @param {string} text @param {number} _priority @param {(translated: any) => void} done */
  addPassage(text, _priority, done) {
    const number = this.#next++;
    this.underWay.add(number);
    this.most = Math.max(this.most, this.underWay.size);
    setTimeout(() => {
      if (!this.underWay.delete(number)) return;
      const whole = Uint32Array.of(0, text.length, 0, text.length);
      const words = [...text.matchAll(/\S+/g)].flatMap(({ index, 0: word }) => {
        const [start, end] = [index, index + word.length];
        return [start, end, start, end];
      });
      done({ text: text.toUpperCase(), sentences: whole, tokens: Uint32Array.from(words) });
    });
    return number;
  }

  /** @param {number} number */
  cancelPassage(number) {
    this.underWay.delete(number);
  }
}

/**
 * @param {Uint8Array<ArrayBuffer> | string} content
 * @param {string} name
 * @param {{signal?: AbortSignal, translator?: Shouting, progress?: (done: number, total: number) => void} & object} [options]
 */
function translate(content, name, { signal, translator = new Shouting(), progress = () => {}, ...job } = {}) {
  const what = { file: new Blob([content]), name, source: "en", target: "de", priority: 0, ...job };
  const means = { addresses, importModule: (/** @type {string} */ script) => import(script), translator, progress };
  return translateFile(what, { ...means, signal: signal ?? new AbortController().signal });
}

const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);

test("files of every format come back as they were but for their texts", async () => {
  const html = await translate("<P title='a cup'>the <b>old</b> 𝄞 <i>house</i>&nbsp;is big<BR>now", "a.html");
  assert.equal(text(html.bytes), "<P title='A CUP'>THE <b>OLD</b> 𝄞 <i>HOUSE</i>&nbsp;IS BIG<BR>NOW");
  assert.deepEqual([html.format, html.mediaType, html.isReplaced], ["html", "text/html", false]);
  const plain = await translate("7\tred\n8\tgreen\n", "a.txt");
  assert.equal(text(plain.bytes), "7\tRED\n8\tGREEN\n");
  const source = book([["a.xhtml", "<p>the <b>old</b> house</p>"]]);
  const translated = await translate(source, "a.epub");
  assert.equal(translated.mediaType, "application/epub+zip");
  assert.match(partOf(translated.bytes, "OEBPS/a.xhtml"), /<p>THE <b>OLD<\/b> HOUSE<\/p>/);
  assert.match(partOf(translated.bytes, "OEBPS/content.opf"), /<dc:title>A BOOK<\/dc:title><dc:language>de</);
  assert.equal(partOf(translated.bytes, "OEBPS/style.css"), partOf(source, "OEBPS/style.css"));
});

test("progress goes from nothing to all, and few texts are with the engine at once", async () => {
  const translator = new Shouting();
  /** @type {[number, number][]} */
  const told = [];
  const lines = Array.from({ length: 500 }, (_, i) => `<p>line number ${i}</p>`).join("\n");
  await translate(lines, "a.html", { translator, progress: (done, total) => told.push([done, total]) });
  assert.deepEqual(told[0]?.[0], 0);
  assert.equal(told.at(-1)?.[0], told.at(-1)?.[1]);
  assert.ok(told.every(([done], i) => i === 0 || done > (told[i - 1]?.[0] ?? 0)));
  assert.ok(translator.most <= 64, `${translator.most} texts at once`);
});

test("cancelling leaves nothing with the engine", async () => {
  const translator = new Shouting();
  const controller = new AbortController();
  const lines = Array.from({ length: 500 }, (_, i) => `<p>line number ${i}</p>`).join("\n");
  const reason = new DOMException("enough", "AbortError");
  const progress = (/** @type {number} */ done) => {
    if (done > 0) controller.abort(reason);
  };
  const translation = translate(lines, "a.html", { translator, signal: controller.signal, progress });
  await assert.rejects(translation, reason);
  assert.equal(translator.underWay.size, 0);
});

test("what cannot be read is an error of a kind that says so", async () => {
  const named = (/** @type {string} */ name) => (/** @type {Error} */ error) => error.name === name;
  await assert.rejects(translate("x", "a.png"), named("NotSupportedError"));
  await assert.rejects(translate("x", "a.html", { format: "odt" }), named("NotSupportedError"));
  await assert.rejects(translate("x", "a.html", { encoding: "none" }), named("NotSupportedError"));
  await assert.rejects(translate("PK", "a.epub"), named("DataError"));
  await assert.rejects(translate(book([]).subarray(0, 300), "a.epub"), named("DataError"));
});
