/**
 * `www/library/wanderwort.js` keeps the promises of the web's Translator API, whatever the text.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";

/**
 * What a page's promise was rejected with.
 * @param {import("puppeteer-core").Page} page
 * @param {() => unknown} action
 */
const rejection = (page, action) =>
  page.evaluate(async (body) => {
    try {
      await new Function(`return (${body})()`)();
      return null;
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      return { name, message };
    }
  }, action.toString());

/**
 * Changes scripts on their way to the page.
 * @param {(path: string, referer: string) => ((code: string) => string | null) | undefined} changeOf `null` if there is no such script
 * @returns {import("../../www/tools/serve.mjs").ServeOptions["intercept"]}
 */
const changing = (changeOf) => async (request, response) => {
  const path = request.url ?? "";
  const change = changeOf(path, request.headers.referer ?? "");
  if (!change) return false;
  const code = change(await readFile(new URL(`../../www${path}`, import.meta.url), "utf8"));
  response.setHeader("Cache-Control", "no-store");
  response.writeHead(code === null ? 404 : 200, { "Content-Type": "text/javascript" }).end(code ?? "");
  return true;
};

/**
 * Text with one part replaced, which must be there.
 * @param {string} text
 * @param {string} part
 * @param {string} other
 */
function replaced(text, part, other) {
  assert.ok(text.includes(part), part);
  return text.replace(part, other);
}

/** Whether the script of a thread is loaded to be run as such: the engine's module imports it too. @param {string} path @param {string} referer */
const isThread = (path, referer) => /\/workerHelpers\.js$/.test(path) && !/\.js$/.test(referer);

inEveryBrowser("library", ({ withPage }) => {
  test("availability and create", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      const seen = await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const pair = { sourceLanguage: "en", targetLanguage: "de" };
        const before = await Translator.availability(pair);
        /** @type {{loaded: number, total: number}[]} */
        const progress = [];
        const translator = await Translator.create({
          ...pair,
          monitor(/** @type {EventTarget} */ monitor) {
            monitor.addEventListener("downloadprogress", (event) => {
              const { loaded, total } = /** @type {ProgressEvent} */ (event);
              progress.push({ loaded, total });
            });
          },
        });
        globalThis.translator = translator;
        return {
          before,
          after: await Translator.availability(pair),
          regional: await Translator.availability({ sourceLanguage: "en-GB", targetLanguage: "de-AT" }),
          other: await Translator.availability({ sourceLanguage: "de", targetLanguage: "tlh" }),
          progress,
          languages: [translator.sourceLanguage, translator.targetLanguage],
        };
      });
      assert.equal(seen.before, "downloadable");
      assert.equal(seen.after, "available", "the model is kept");
      assert.equal(seen.regional, "available");
      assert.equal(seen.other, "unavailable");
      assert.deepEqual(seen.languages, ["en", "de"]);
      assert.equal(seen.progress[0]?.loaded, 0);
      assert.equal(seen.progress.at(-1)?.loaded, 1);
      assert.ok(
        seen.progress.every((event, i) => event.total === 1 && event.loaded >= (seen.progress[i - 1]?.loaded ?? 0)),
      );
      assert.deepEqual(errors, []);
    }));

  test("errors have the standard's names", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const none = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "de", targetLanguage: "fr" }),
      );
      assert.equal(none?.name, "NotSupportedError");
      const unknown = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", model: "en-de.none" }),
      );
      assert.equal(unknown?.name, "NotSupportedError");
      assert.match(unknown?.message ?? "", /no model en-de\.none .* en-de\.tiny \(en to de\)/);
      assert.match(none?.message ?? "", /en to de/, "it says which pairs there are");
      const tag = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "no tag", targetLanguage: "fr" }),
      );
      assert.equal(tag?.name, "RangeError");
      const missing = await rejection(page, () => globalThis.Translator.create({ sourceLanguage: "en" }));
      assert.equal(missing?.name, "TypeError");
      const beam = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", beam: 0 }),
      );
      assert.equal(beam?.name, "RangeError");
      assert.match(beam?.message ?? "", /from 1 to 64, not 0/);
      const cache = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", cache: -1 }),
      );
      assert.equal(cache?.name, "RangeError");
      assert.match(cache?.message ?? "", /cache: expected a whole number from 0 to 100000, not -1/);
      const twice = await page.evaluate(async () => {
        const keeping = await globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", cache: 10 });
        const text = "The house is big. The house is big.";
        const found = [await keeping.translate(text), await keeping.translate(text)];
        keeping.destroy();
        return [...found, await globalThis.translator.translate(text)];
      });
      assert.equal(new Set(twice).size, 1, "a kept translation is the one that would be found");
      const token = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", targetToken: "fra" }),
      );
      assert.equal(token?.name, "OperationError");
      assert.match(token?.message ?? "", /one target language and knows no target token `fra`/);
      const left = await page.evaluate(() =>
        globalThis.Translator.availability({ sourceLanguage: "en", targetLanguage: "de" }),
      );
      assert.equal(left, "available", "what is refused is not being downloaded");
      const aborted = await rejection(page, () =>
        globalThis.Translator.create({
          sourceLanguage: "en",
          targetLanguage: "de",
          signal: AbortSignal.abort(),
        }),
      );
      assert.equal(aborted?.name, "AbortError");
      const quota = await rejection(page, () =>
        globalThis.translator.translate("a".repeat(globalThis.translator.inputQuota + 1)),
      );
      assert.equal(quota?.name, "QuotaExceededError");
      const illegal = await rejection(page, () => new globalThis.Translator());
      assert.equal(illegal?.name, "TypeError");
    }));

  test("goes on with one thread at once if the scripts of the others are not there", () => {
    const intercept = changing((path, referer) => {
      // Whoever waits for them here waits forever.
      if (path === "/worker/engine.js")
        return (code) => replaced(code, "THREADS_TIMEOUT_MS = 20_000", "THREADS_TIMEOUT_MS = 2 ** 31 - 1");
      return isThread(path, referer) ? () => null : undefined;
    });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page, errors }) => {
      const { threads } = await createTranslator(page, { threads: 2 });
      assert.equal(threads, 1);
      assert.match(await page.evaluate(() => globalThis.translator.translate("Good morning.")), /Morgen/);
      assert.deepEqual(errors, []);
    });
  });

  test("a thread that fails ends what is under way, and says so", () => {
    // The threads fail once the page has heard that they are ready.
    const trap = `const channel = new BroadcastChannel("trap");
      channel.postMessage("ready");
      await new Promise((resolve) => (channel.onmessage = resolve));
      throw new WebAssembly.RuntimeError("a trap");`;
    const intercept = changing((path, referer) =>
      isThread(path, referer) ? (code) => replaced(code, "pkg.wbg_rayon_start_worker(receiver);", trap) : undefined,
    );
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await page.evaluate(() => {
        const channel = new BroadcastChannel("trap");
        channel.onmessage = () => channel.postMessage("fail");
        return import(/** @type {any} */ ("/library/wanderwort.js")).then((library) =>
          Object.assign(globalThis, library),
        );
      });
      const error = await rejection(page, () =>
        globalThis.Translator.create({ sourceLanguage: "en", targetLanguage: "de", threads: 2 }),
      );
      assert.equal(error?.name, "OperationError");
      assert.match(error?.message ?? "", /one of its threads failed: .*a trap/);
    });
  });

  test("cancelling and destroying", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const result = await page.evaluate(async () => {
        const { translator } = globalThis;
        const long = "This sentence is one of very many that nobody will wait for. ".repeat(4000);
        const controller = new AbortController();
        const reason = new Error("enough");
        const slow = translator.translate(long, { signal: controller.signal }).then(
          () => "finished",
          (/** @type {unknown} */ error) => error === reason,
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
        controller.abort(reason);
        const cancelled = await slow;
        const still = await translator.translate("Good morning.");
        const pending = translator.translate(long).catch((/** @type {Error} */ error) => error.name);
        translator.destroy();
        translator.destroy();
        return {
          cancelled,
          still,
          pending: await pending,
          after: await translator.translate("Hello").catch((/** @type {Error} */ error) => error.name),
        };
      });
      assert.equal(result.cancelled, true, "it fails with the signal's own reason");
      assert.match(result.still, /Morgen/, "the next request is served");
      assert.equal(result.pending, "AbortError");
      assert.equal(result.after, "AbortError");
    }));

  test("what is urgent goes first", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page, { threads: 1 });
      const order = await page.evaluate(async () => {
        const { translator } = globalThis;
        /** @type {string[]} */
        const order = [];
        const background = Array.from({ length: 200 }, (_, i) =>
          translator
            .translate(`Number ${i} waits in the background until its turn has come.`)
            .then(() => order.push("low")),
        );
        const urgent = translator.translate("This is urgent.", { priority: 1 }).then(() => order.push("high"));
        await Promise.all([...background, urgent]);
        return order;
      });
      assert.ok(order.indexOf("high") < 100, `it came as number ${order.indexOf("high")} of ${order.length}`);
    }));

  test("streaming gives line by line what translate gives at once", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const { chunks, whole, cancelled } = await page.evaluate(async () => {
        const text =
          "Good morning.\r\n\r\n  The weather is nice today. We go for a walk.\nThe end.\n\n```\nprint the house\n```\n";
        /** @type {string[]} */
        const chunks = [];
        const reader = globalThis.translator.translateStreaming(text).getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          chunks.push(value);
        }
        const stream = globalThis.translator.translateStreaming("One.\nTwo.\nThree.\n".repeat(100)).getReader();
        await stream.read();
        await stream.cancel();
        return { chunks, whole: await globalThis.translator.translate(text), cancelled: (await stream.read()).done };
      });
      assert.equal(chunks.length, 6);
      assert.equal(chunks.at(-1), "```\nprint the house\n```\n", "code is one chunk, and no text");
      assert.equal(chunks.join(""), whole);
      assert.equal(cancelled, true);
    }));

  test("alignments fit both texts in UTF-16", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const source = "🙂 The dog sleeps. 🎉 The “small” cat drinks milk — and then?";
      const result = await page.evaluate(
        (source) => globalThis.translator.translateDetailed(source, { scores: true }),
        source,
      );
      assert.equal(result.text, await page.evaluate((source) => globalThis.translator.translate(source), source));
      assert.ok(result.sentences.length >= 2);
      /** @type {[string, string][]} */
      const pairs = result.tokens.map((/** @type {any} */ t) => [
        source.slice(...t.source),
        result.text.slice(...t.target),
      ]);
      assert.ok(
        pairs.some(([from, to]) => /dog/.test(from) && /Hund/.test(to)),
        `dog and Hund are aligned in ${JSON.stringify(pairs)}`,
      );
      for (const { logProbability } of result.tokens) assert.ok(logProbability <= 0 && Number.isFinite(logProbability));
      for (const range of [...result.sentences, ...result.tokens]) {
        assert.ok(0 <= range.source[0] && range.source[0] <= range.source[1] && range.source[1] <= source.length);
        assert.ok(0 <= range.target[0] && range.target[0] <= range.target[1] && range.target[1] <= result.text.length);
      }
    }));

  test("a translation begins as it is told", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const { own, begun, other, first } = await page.evaluate(async () => {
        const { translator } = globalThis;
        const source = "The old house is big.";
        const options = { prefix: "Dieses", alternatives: true };
        return {
          own: await translator.translate(source),
          begun: await translator.translate(source, { prefix: "Dieses" }),
          other: await translator.translateDetailed(source, options),
          first: await translator.translateDetailed(source, { alternatives: true }),
        };
      });
      assert.ok(!own.startsWith("Dieses") && begun.startsWith("Dieses "), begun);
      const texts = other.candidates.map((/** @type {any} */ candidate) => candidate.text ?? candidate);
      assert.ok(texts.length > 1 && texts.every((/** @type {string} */ text) => text.startsWith("Dieses")), `${texts}`);
      assert.ok(first.candidates.length > 1);
    }));

  test("any text comes back as something sensible", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      await createTranslator(page);
      /** @param {string} text @returns {Promise<string>} */
      const translate = async (text) => {
        // Half a surrogate pair does not survive the trip into the page; its number does.
        const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
        const result = await page.evaluate(async (units) => {
          const text = units.map((/** @type {number} */ unit) => String.fromCharCode(unit)).join("");
          const result = await globalThis.translator.translate(text);
          return Array.from({ length: result.length }, (_, i) => result.charCodeAt(i));
        }, units);
        return result.map((/** @type {number} */ unit) => String.fromCharCode(unit)).join("");
      };
      assert.equal(await translate(""), "");
      assert.equal(await translate("  \n\t \n"), "  \n\t \n");
      assert.match(await translate("😀😀😀"), /😀/u);
      assert.match(await translate("Good morning 👍🏽 my friend 👨‍👩‍👧‍👦."), /Morgen/);
      assert.notEqual(await translate("\u200f\u202eGood morning\u202c\u200f."), "");
      assert.notEqual(await translate("Good\u0000 \u0007morning\u001b[1m.\u007f"), "");
      assert.notEqual(await translate("Half a pair: \ud83d and the other \ude00 half."), "");
      assert.notEqual(await translate("\ud800"), "");
      assert.match(await translate("Good morning.\n\n\n  Good night.\r\n"), /^[^\n]+\n\n\n {2}[^\n]+\r\n$/);
      const line = await translate("x".repeat(100_000));
      assert.ok(line.length > 0);
      assert.match(await translate("Good morning."), /Morgen/, "and the next request is served as ever");
      assert.deepEqual(errors, []);
    }));

  test("a page's texts in other languages are left alone, as the language detector has it", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await createTranslator(page);
      const texts = await page.evaluate(async () => {
        const { LanguageDetector, translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        document.body.innerHTML = `
          <p>The old house on the hill has a red door and many small windows.</p>
          <p>La vieille maison sur la colline a une porte rouge et beaucoup de petites fenêtres.</p>`;
        const detector = await LanguageDetector.create({ expectedInputLanguages: ["en"] });
        const translation = await translatePage({ translator: globalThis.translator, detector });
        await translation.complete;
        return Array.from(document.querySelectorAll("p"), (paragraph) => paragraph.textContent);
      });
      assert.match(texts[0] ?? "", /Haus/);
      assert.match(texts[1] ?? "", /^La vieille maison/);
    }));
});
