/**
 * A book of about 300 pages translated in a page: `node benches/book.mjs [--chapters 24] [--threads 2] [--beam 1] [--pictures MIB]
 * [--tags N]`.
 *
 * `--pictures` adds pictures of one MiB each, which cannot be compressed; `--tags` adds chapters that are nothing but this many tags, as no
 * book has them, to see what the limit on tags means.
 *
 * Prints the time, words per second, how often progress was reported, and, on Linux, the memory that Chromium's process of the page and its
 * worker holds before and at its peak. A page of a book has about 250 words.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { launch } from "../tests/browser/browsers.mjs";
import { book } from "../tests/browser/books.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    chapters: { type: "string", default: "24" },
    threads: { type: "string", default: "2" },
    beam: { type: "string", default: "1" },
    pictures: { type: "string", default: "0" },
    tags: { type: "string", default: "0" },
  },
});

const WORDS_PER_CHAPTER = 3200;
const THINGS = "house garden river street school market winter summer letter window".split(" ");

/** Sentences of a chapter, all different. @param {number} chapter */
function chapterOf(chapter) {
  const paragraphs = [];
  for (let i = 0, words = 0; words < WORDS_PER_CHAPTER; i++) {
    const thing = THINGS[(i + chapter) % THINGS.length];
    const text = `On day ${i + 1} of year ${chapter}, the <b>old man</b> left the ${thing} and walked ${i + 2} miles to the river.`;
    words += text.split(" ").length;
    paragraphs.push(`<p>${text}</p>`);
  }
  return paragraphs.join("\n");
}

const chapters = Array.from(
  { length: Number(values.chapters) },
  (_, i) => /** @type {[string, string]} */ ([`c${i}.xhtml`, chapterOf(i + 1)]),
);
const words = chapters.flatMap(([, body]) => body.replace(/<[^>]*>/g, "").split(/\s+/)).length;
const pictures = Array.from(
  { length: Number(values.pictures) },
  (_, i) => /** @type {[string, Uint8Array]} */ ([`p${i}.jpg`, randomBytes(1 << 20)]),
);
/** A document may have a quarter of a book's tags. */
const TAGS_PER_CHAPTER = 1_000_000;
for (let left = Number(values.tags); left > 0; left -= TAGS_PER_CHAPTER) {
  const pairs = Math.floor(Math.min(left, TAGS_PER_CHAPTER) / 2);
  chapters.push([`t${left}.xhtml`, "<p>a</p>".repeat(pairs)]);
}
const bytes = book(chapters, pictures);
/** MiB of the largest renderer. @param {"VmRSS" | "VmHWM"} what held now, or at most so far */
function memory(what) {
  let most = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${process}/cmdline`, "utf8").includes("--type=renderer")) continue;
      const found = new RegExp(`^${what}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${process}/status`, "utf8"));
      most = Math.max(most, Math.round(Number(found?.[1] ?? 0) / 1024));
    } catch {
      // It has ended meanwhile.
    }
  }
  return most;
}

const server = await serve({
  intercept: (request, response) => {
    if (request.url !== "/long.epub") return false;
    response.writeHead(200, { "Content-Type": "application/epub+zip" }).end(bytes);
    return true;
  },
});
const browser = await launch("chromium");
try {
  const page = await browser.newPage();
  await page.goto(new URL("documents.html", server.url).href);
  const before = memory("VmRSS");
  const result = await page.evaluate(
    async (threads, beam) => {
      const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
      const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads, beam });
      await translator.translate("The house is big.");
      const file = new File([await (await fetch("/long.epub")).blob()], "long.epub");
      let told = 0;
      const start = performance.now();
      const translated = await translator.translateDocument(file, { progress: () => told++ });
      return { told, seconds: (performance.now() - start) / 1000, size: translated.size };
    },
    Number(values.threads),
    Number(values.beam),
  );
  const { told, seconds, size } = result;
  console.log(`${words} words, ${(bytes.length / 1024).toFixed(0)} KiB → ${(size / 1024).toFixed(0)} KiB`);
  console.log(`${seconds.toFixed(1)} s, ${(words / seconds).toFixed(0)} words/s, progress told ${told} times`);
  console.log(`memory: ${before} MiB before the engine was loaded, at most ${memory("VmHWM")} MiB`);
} finally {
  await browser.close();
  await server.close();
}
