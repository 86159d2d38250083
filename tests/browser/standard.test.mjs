/**
 * The situations of the web-platform-tests for the Translator and Language Detector APIs, and what its specification says beyond them. What a
 * library cannot provide is listed in `www/README.md`.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { BLANK, inEveryBrowser } from "./harness.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const PACKAGE_SIZE = statSync(new URL("../../models/en-de.tiny.wanderwort", import.meta.url)).size;

/** What the situations below use in the page. */
function installHelpers() {
  const pair = { sourceLanguage: "en", targetLanguage: "de" };
  /**
   * What a promise was rejected with, or that it was not. It may belong to a window that is gone, whose own promises no longer have
   * any effect.
   * @param {any} promise
   */
  const outcome = (promise) =>
    new Promise((resolve) => {
      if (typeof promise?.then !== "function") return resolve("fulfilled");
      promise.then(
        () => resolve("fulfilled"),
        (/** @type {unknown} */ error) => resolve(error),
      );
    });
  /** An error's name. @param {any} promise */
  const errorName = async (promise) => {
    const error = await outcome(promise);
    return error?.name ?? String(error);
  };
  /** What a call throws. @param {() => unknown} call */
  const thrown = (call) => {
    try {
      call();
      return "nothing thrown";
    } catch (error) {
      return error;
    }
  };
  const later = (milliseconds = 0) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  /** All of a stream. @param {ReadableStream<string>} stream */
  const read = async (stream) => {
    let all = "";
    for (const reader = stream.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return all;
      all += value;
    }
  };
  Object.assign(globalThis, { pair, outcome, errorName, thrown, later, read });
}

/**
 * Opens the library in a blank page.
 * @param {Page} page
 */
async function openLibrary(page) {
  await page.evaluate(installHelpers);
  await page.evaluate(async () => {
    const { Translator, LanguageDetector, CreateMonitor } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    Object.assign(globalThis, { Translator, LanguageDetector, CreateMonitor });
  });
}

/**
 * A list of models: the site's first one for each of these pairs.
 * @param {[source: string, target: string][]} pairs
 */
function listOf(...pairs) {
  const list = JSON.parse(readFileSync(new URL("../../models/index.json", import.meta.url), "utf8"));
  const [first] = list.models;
  const models = pairs.map(([source, target]) => ({ ...first, name: `${source}-${target}`, source, target }));
  return JSON.stringify({ ...list, models });
}

/** @param {string} list */
const serving = (list) => ({
  /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
  intercept: (request, response) => {
    if (request.url !== "/models/index.json") return false;
    response.writeHead(200, { "Content-Type": "application/json" }).end(list);
    return true;
  },
});

inEveryBrowser("standard", ({ name: browserName, withPage, launchWith }) => {
  test("the interface looks as a browser's own does", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await openLibrary(page);
      const seen = await page.evaluate(() => {
        const { Translator, CreateMonitor } = globalThis;
        const own = Object.getOwnPropertyDescriptor;
        const tag = own(Translator.prototype, Symbol.toStringTag);
        const monitor = new CreateMonitor();
        return {
          members: Object.keys(Translator.prototype).sort(),
          statics: Object.keys(Translator).sort(),
          lengths: ["translate", "translateStreaming", "measureInputUsage", "destroy"].map(
            (name) => Translator.prototype[name].length,
          ),
          staticLengths: [Translator.length, Translator.create.length, Translator.availability.length],
          name: Translator.name,
          tag: [tag?.value, tag?.writable, tag?.enumerable, tag?.configurable],
          getter: typeof own(Translator.prototype, "inputQuota")?.get,
          setter: typeof own(Translator.prototype, "inputQuota")?.set,
          prototype: own(Translator, "prototype")?.writable,
          monitor: [String(monitor), monitor instanceof EventTarget, monitor.ondownloadprogress],
          handlers: [1, null, () => {}].map(
            (value) => typeof ((monitor.ondownloadprogress = value), monitor.ondownloadprogress),
          ),
        };
      });
      assert.deepEqual(seen, {
        members: [
          "destroy",
          "inputQuota",
          "measureInputUsage",
          "sourceLanguage",
          "targetLanguage",
          "translate",
          "translateStreaming",
        ],
        statics: ["availability", "create"],
        lengths: [1, 1, 1, 0],
        staticLengths: [0, 1, 1],
        name: "Translator",
        tag: ["Translator", false, false, true],
        getter: "function",
        setter: "undefined",
        prototype: false,
        monitor: ["[object CreateMonitor]", true, null],
        handlers: ["object", "object", "function"],
      });
    }));

  test("arguments are converted, in the order and with the errors of Web IDL", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await openLibrary(page);
      const names = await page.evaluate(async () => {
        const { Translator, errorName, outcome, pair } = globalThis;
        /** @type {Record<string, unknown>} */
        const seen = {};
        for (const method of ["create", "availability"]) {
          const call = (/** @type {unknown[]} */ ...values) => errorName(Translator[method](...values));
          seen[method] = [
            await call(),
            await call(undefined),
            await call(null),
            await call(5),
            await call("en"),
            await call({}),
            await call({ sourceLanguage: "en" }),
            await call({ targetLanguage: "de" }),
            await call({ sourceLanguage: Symbol("en"), targetLanguage: "de" }),
            await call({ sourceLanguage: undefined, targetLanguage: "de" }),
            // A null is the string "null", which is not a tag.
            await call({ sourceLanguage: null, targetLanguage: "de" }),
            await call({ sourceLanguage: "en", targetLanguage: "" }),
          ];
        }
        seen.signals = [
          await errorName(Translator.create({ ...pair, signal: null })),
          await errorName(Translator.create({ ...pair, signal: {} })),
          await errorName(Translator.create({ ...pair, monitor: null })),
          await errorName(Translator.create({ ...pair, monitor: {} })),
          // The availability does not read them.
          await errorName(Translator.availability({ ...pair, signal: null, monitor: 1 })),
        ];
        /** @type {string[]} */
        const order = [];
        const watched = new Proxy(
          { sourceLanguage: "e", targetLanguage: "de", monitor() {} },
          {
            get(target, key) {
              order.push(String(key));
              return Reflect.get(target, key);
            },
          },
        );
        seen.watched = await errorName(Translator.create(watched));
        seen.order = order.slice(0, 4);
        // An object is asked for its string.
        seen.object = await Translator.availability({ ...pair, sourceLanguage: { toString: () => "en" } });
        const error = new Error("no string");
        seen.throwing =
          (await outcome(
            Translator.create({
              ...pair,
              get targetLanguage() {
                throw error;
              },
            }),
          )) === error;
        seen.illegal = globalThis.thrown(() => new Translator()).name;
        return seen;
      });
      const both = [...Array(10).fill("TypeError"), "RangeError", "RangeError"];
      assert.deepEqual(names.create, both);
      assert.deepEqual(names.availability, both);
      assert.deepEqual(names.signals, ["TypeError", "TypeError", "TypeError", "TypeError", "fulfilled"]);
      assert.equal(names.watched, "RangeError");
      assert.deepEqual(names.order, ["sourceLanguage", "targetLanguage", "monitor", "signal"]);
      assert.equal(names.object, "downloadable");
      assert.equal(names.throwing, true);
      assert.equal(names.illegal, "TypeError");
    }));

  test("language tags: what is none, and what serves for which", () =>
    withPage(
      { path: BLANK, server: serving(listOf(["en", "de"], ["en", "zh-Hans"], ["en", "zh-Hant"], ["es-MX", "en"])) },
      async ({ page }) => {
        await openLibrary(page);
        const seen = await page.evaluate(async () => {
          const { Translator, errorName, outcome } = globalThis;
          const ask = (/** @type {string} */ sourceLanguage, /** @type {string} */ targetLanguage) =>
            Translator.availability({ sourceLanguage, targetLanguage });
          const invalid = [
            "e",
            "Latn",
            "enLatnGBfonipa",
            "11",
            "en_Latn",
            "en-Lat",
            "en-A999",
            "en ",
            "",
            "undefined-",
          ];
          const variations = [
            "en-Latn",
            "en-Latn-GB",
            "en-GB",
            "en-fonipa-scouse",
            "en-Latn-GB-fonipa-scouse",
            "en-Latn-x-this-is-a-private-use-extensio-n",
            "EN",
            "en-lATN",
            "EN-lATN-gb-scouse-fonipa",
            "en-u-ca-buddhist",
          ];
          /** @type {string[]} */
          const monitored = [];
          const monitor = () => monitored.push("called");
          return {
            create: await Promise.all(
              invalid.map((tag) =>
                errorName(Translator.create({ sourceLanguage: tag, targetLanguage: "de", monitor })),
              ),
            ),
            availability: await Promise.all(invalid.map((tag) => errorName(ask("en", tag)))),
            // Tags are checked before the signal, and the signal before the models.
            first: [
              await errorName(
                Translator.create({ sourceLanguage: "e", targetLanguage: "de", signal: AbortSignal.abort() }),
              ),
              await outcome(
                Translator.create({ sourceLanguage: "tlh", targetLanguage: "de", signal: AbortSignal.abort(7) }),
              ),
              await errorName(Translator.create({ sourceLanguage: "tlh", targetLanguage: "de" })),
            ],
            monitored,
            variations: await Promise.all(variations.map((tag) => ask(tag, "de-AT"))),
            chinese: await Promise.all(["zh", "zh-CN", "zh-TW", "zh-Hant-HK", "zh-Latn"].map((tag) => ask("en", tag))),
            spanish: await Promise.all(["es", "es-MX", "es-419"].map((tag) => ask(tag, "en"))),
            identity: await Promise.all(["en", "en-US", "en-x-lolcat"].map((tag) => ask("en-GB", tag))),
            german: await ask("de", "en"),
          };
        });
        assert.ok(
          [...seen.create, ...seen.availability].every((/** @type {string} */ name) => name === "RangeError"),
          JSON.stringify(seen),
        );
        assert.deepEqual(seen.first, ["RangeError", 7, "NotSupportedError"]);
        assert.deepEqual(seen.monitored, [], "nothing is monitored that is refused");
        assert.ok(seen.variations.every((/** @type {string} */ value) => value === "downloadable"));
        assert.deepEqual(seen.chinese, ["downloadable", "downloadable", "downloadable", "downloadable", "unavailable"]);
        assert.deepEqual(seen.spanish, ["downloadable", "downloadable", "downloadable"]);
        assert.deepEqual(seen.identity, ["available", "available", "available"]);
        assert.equal(seen.german, "unavailable");
        const best = await page.evaluate(async () => {
          const { Translator } = globalThis;
          const create = async (/** @type {string} */ sourceLanguage, /** @type {string} */ targetLanguage) => {
            const translator = await Translator.create({ sourceLanguage, targetLanguage });
            const languages = [translator.sourceLanguage, translator.targetLanguage];
            translator.destroy();
            return languages;
          };
          return [await create("en-US", "de-AT"), await create("EN", "zh-tw"), await create("en-gb", "en-US")];
        });
        assert.deepEqual(best, [
          ["en", "de"],
          ["en", "zh-Hant"],
          ["en-GB", "en-US"],
        ]);
      },
    ));

  test("a pair of the same language is translated by nothing", () =>
    withPage({ path: BLANK }, async ({ page, requests }) => {
      await openLibrary(page);
      const seen = await page.evaluate(async () => {
        const { Translator, read, errorName } = globalThis;
        /** @type {number[]} */
        const progress = [];
        const translator = await Translator.create({
          sourceLanguage: "en-US",
          targetLanguage: "en-GB",
          monitor: (/** @type {any} */ monitor) =>
            (monitor.ondownloadprogress = (/** @type {any} */ event) => progress.push(event.loaded)),
        });
        const text = " Colour,\n\ncolor.  ";
        const result = {
          progress,
          same:
            (await translator.translate(text)) === text && (await read(translator.translateStreaming(text))) === text,
          details: await translator.translateDetailed("Hello"),
          usage: await translator.measureInputUsage("Hello"),
          places: Array.from(
            (await translator.translateBlock("a b", Uint32Array.of(2 ** 32 - 1, 0, 0, 1, 0, 2, 0, 1)).result).places,
          ),
        };
        translator.destroy();
        return { ...result, after: await errorName(translator.translate("a")) };
      });
      assert.deepEqual(seen.progress, [0, 1]);
      assert.equal(seen.same, true);
      assert.deepEqual(seen.details.sentences, [{ source: [0, 5], target: [0, 5] }]);
      assert.equal(seen.usage, 5);
      assert.deepEqual(seen.places, [0, 2 ** 32 - 1, 0, 1, 1, 0, 0, 1]);
      assert.equal(seen.after, "AbortError");
      assert.ok(!requests.some((url) => /\.wanderwort|\/worker\.js/.test(url)), "no model is loaded");
    }));

  test("progress goes from 0 to 1 in steps of 1/65,536, and an available model has only these two", () => {
    /** @type {() => void} */
    let goOn = () => {};
    const asked = new Promise((resolve) => (goOn = () => resolve(null)));
    const slow = {
      /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
      intercept: async (request, response) => {
        if (request.url === "/go-on") {
          goOn();
          response.writeHead(204).end();
          return true;
        }
        if (!/\.wanderwort$/.test(request.url ?? "")) return false;
        const bytes = readFileSync(new URL(`../..${request.url}`, import.meta.url));
        response.writeHead(200, { "Content-Length": bytes.length });
        for (let i = 0; i < 40; i++) {
          response.write(bytes.subarray((i * bytes.length) / 40, ((i + 1) * bytes.length) / 40));
          await new Promise((resolve) => setTimeout(resolve, 20));
          // The rest arrives once the page has asked for the availability.
          if (i === 30) await asked;
        }
        response.end();
        return true;
      },
    };
    return withPage({ path: BLANK, server: slow }, async ({ page }) => {
      await openLibrary(page);
      const watch = () =>
        page.evaluate(async () => {
          const { Translator, pair, later } = globalThis;
          /** @type {any[]} */
          const events = [];
          let created = false;
          let late = 0;
          /** @type {Promise<string> | undefined} */
          let meanwhile;
          const creating = Translator.create({
            ...pair,
            monitor(/** @type {EventTarget} */ monitor) {
              monitor.addEventListener("downloadprogress", (event) => {
                const { loaded, total, lengthComputable } = /** @type {ProgressEvent} */ (event);
                late += Number(created);
                if (loaded > 0 && loaded < 1) {
                  meanwhile ??= Translator.availability(pair).finally(() => fetch("/go-on"));
                }
                const right = event instanceof ProgressEvent && event.target === monitor && !event.bubbles;
                events.push({ loaded, total, lengthComputable, right, time: event.timeStamp });
              });
            },
          });
          const translator = await creating;
          created = true;
          await later(100);
          translator.destroy();
          return { events, late, meanwhile: (await meanwhile) ?? (await Translator.availability(pair)) };
        });
      const first = await watch();
      const shares = first.events.map((event) => event.loaded);
      assert.ok(shares.length > 4, `there is progress: ${shares}`);
      assert.equal(first.late, 0, "none after the promise is fulfilled");
      assert.equal(first.meanwhile, "downloading");
      assert.deepEqual([shares[0], shares.at(-1)], [0, 1]);
      first.events.forEach((event, i) => {
        assert.deepEqual([event.total, event.lengthComputable, event.right], [1, true, true]);
        assert.equal((event.loaded * 65_536) % 1, 0);
        if (i > 0) assert.ok(event.loaded > shares[i - 1], "each is larger than the one before");
        if (i > 0 && event.loaded < 1) assert.ok(event.time - first.events[i - 1].time >= 49, "not too often");
      });
      const second = await watch();
      assert.deepEqual(
        second.events.map((event) => event.loaded),
        [0, 1],
      );
      assert.equal(second.meanwhile, "available");
    });
  });

  test("what the monitor throws is what create is rejected with", () =>
    withPage({ path: BLANK }, async ({ page, requests }) => {
      await openLibrary(page);
      const same = await page.evaluate(async () => {
        const { Translator, outcome, pair, later } = globalThis;
        const error = new Error("monitor");
        let self;
        let events = 0;
        const result = await outcome(
          Translator.create({
            ...pair,
            monitor: function (/** @type {any} */ monitor) {
              "use strict";
              self = this;
              monitor.ondownloadprogress = () => events++;
              throw error;
            },
          }),
        );
        await later(300);
        return [result === error, self === undefined, events];
      });
      assert.deepEqual(same, [true, true, 0]);
      assert.ok(!requests.some((url) => url.endsWith(".wanderwort")));
    }));

  test("create can be aborted at every moment", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await openLibrary(page);
      const faults = await page.evaluate(async () => {
        const { Translator, outcome, pair, later } = globalThis;
        /** @type {string[]} */
        const faults = [];
        /**
         * @param {string} when
         * @param {(abort: () => void, setMonitor: (monitor: (event: any, abort: () => void) => void) => void) => void} arrange
         */
        const attempt = async (when, arrange) => {
          const controller = new AbortController();
          const reason = new Error(when);
          let aborted = false;
          const abort = () => {
            aborted = true;
            controller.abort(reason);
          };
          /** @type {(event: any, abort: () => void) => void} */
          let onprogress = () => {};
          let afterwards = 0;
          // Another listener that swallows the event must not matter.
          controller.signal.addEventListener("abort", (event) => event.stopImmediatePropagation());
          const started = Translator.create({
            ...pair,
            signal: controller.signal,
            monitor: (/** @type {EventTarget} */ monitor) =>
              monitor.addEventListener("downloadprogress", (event) => {
                if (aborted) afterwards++;
                onprogress(event, abort);
              }),
          });
          arrange(abort, (monitor) => (onprogress = monitor));
          const result = await started.then(
            (/** @type {any} */ translator) => translator,
            (/** @type {unknown} */ error) => error,
          );
          if (!aborted) {
            // The abort comes too late for create, and so ends the translator.
            if (!(result instanceof Translator)) return faults.push(`${when}: ${result}`);
            abort();
          }
          const last = result instanceof Translator ? await outcome(result.translate("Hello")) : result;
          if (last !== reason) faults.push(`${when}: ${last}`);
          if (afterwards > 0) faults.push(`${when}: ${afterwards} events afterwards`);
        };
        for (const round of ["downloaded", "stored"]) {
          await attempt(`${round}, at once`, (abort) => abort());
          for (const share of [0, 1]) {
            await attempt(`${round}, in the event ${share}`, (_, set) =>
              set((event, abort) => event.loaded === share && abort()),
            );
            await attempt(`${round}, soon after the event ${share}`, (_, set) =>
              set((event, abort) => event.loaded === share && Promise.resolve().then(abort)),
            );
            await attempt(`${round}, a task after the event ${share}`, (_, set) =>
              set((event, abort) => {
                if (event.loaded === share) setTimeout(abort, 0);
              }),
            );
          }
          for (let delay = 0; delay <= 400; delay += 25) {
            await attempt(`${round}, after ${delay} ms`, (abort) => void later(delay).then(abort));
          }
          // The next round finds the model.
          (await Translator.create(pair)).destroy();
        }
        return faults;
      });
      assert.deepEqual(faults, []);
    }));

  test("aborting the signal of create ends the translator with its reason, destroy with an AbortError", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      await openLibrary(page);
      const seen = await page.evaluate(async () => {
        const { Translator, outcome, thrown, pair, later } = globalThis;
        const long = "This sentence is one of very many that nobody will wait for. ".repeat(2000);
        /** @param {(translator: any, controller: AbortController) => void} end */
        const pending = async (end) => {
          const controller = new AbortController();
          const translator = await Translator.create({ ...pair, signal: controller.signal });
          const unread = translator.translateStreaming(long);
          const reading = translator.translateStreaming(long).getReader();
          const closed = reading.closed.catch((/** @type {unknown} */ error) => error);
          const calls = [translator.translate(long), translator.measureInputUsage(long), reading.read()].map(outcome);
          end(translator, controller);
          calls.push(...[translator.translate("Hello"), translator.measureInputUsage("Hello")].map(outcome));
          const after = thrown(() => translator.translateStreaming("Hello"));
          await later(50);
          // It had to end although nobody has read from it.
          const stream = await outcome(unread.getReader().closed);
          return [...(await Promise.all(calls)), await closed, stream, after];
        };
        const reason = new Error("enough");
        const byDestroy = await pending((translator) => translator.destroy());
        return {
          bySignal: (await pending((_, controller) => controller.abort(reason))).map((error) => error === reason),
          byDestroy: byDestroy.map((error) => error?.name),
          one: new Set(byDestroy).size,
          twice: await outcome(
            Translator.create(pair).then((/** @type {any} */ translator) => {
              translator.destroy();
              translator.destroy();
              return translator.destroy();
            }),
          ),
        };
      });
      assert.deepEqual(seen.bySignal, Array(8).fill(true));
      assert.deepEqual(seen.byDestroy, Array(8).fill("AbortError"));
      assert.equal(seen.one, 1, "it is the same error everywhere");
      assert.equal(seen.twice, "fulfilled");
      assert.deepEqual(errors, []);
    }));

  test("translating and measuring: arguments, aborts, quota, what needs no translation", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      await openLibrary(page);
      const seen = await page.evaluate(async () => {
        const { Translator, outcome, errorName, thrown, pair, read } = globalThis;
        const translator = await Translator.create(pair);
        /** @type {Record<string, unknown>} */
        const seen = {};
        const { translate, measureInputUsage, translateStreaming } = translator;
        seen.foreign = [
          await errorName(translate.call({}, "a")),
          await errorName(measureInputUsage.call(undefined, "a")),
          thrown(() => translateStreaming.call({}, "a")).name,
          thrown(() => Translator.prototype.sourceLanguage).name,
        ];
        /** @type {string[]} */
        const refused = (seen.refused = []);
        for (const values of [[], [Symbol("a")], ["a", 5], ["a", { signal: null }], ["a", { signal: {} }]]) {
          refused.push(
            await errorName(translator.translate(...values)),
            await errorName(translator.measureInputUsage(...values)),
            thrown(() => translator.translateStreaming(...values)).name,
          );
        }
        seen.accepted = [
          await errorName(translator.translate("Hello", null)),
          await errorName(translator.translate("Hello", undefined)),
          await errorName(translator.translate("Hello", { signal: undefined })),
          typeof (await translator.translate(undefined)),
          typeof (await translator.translate(null)),
          (await translator.translate({ toString: () => "Good morning." })).includes("Morgen"),
        ];
        // A signal from another window is a signal too.
        const frame = document.createElement("iframe");
        document.body.append(frame);
        const foreign = new /** @type {any} */ (frame.contentWindow).AbortController();
        const waiting = translator.translate("Hello", { signal: foreign.signal });
        foreign.abort("frame");
        seen.frame = await outcome(waiting);
        frame.remove();
        const untouched = [
          "",
          " ",
          "     ",
          " \r\n\t\f",
          ...Array.from({ length: 0x20 }, (_, c) => String.fromCharCode(c)),
        ];
        const echoed = await Promise.all(untouched.map((text) => translator.translate(text)));
        seen.echoed = untouched.filter((text, i) => text !== echoed[i]).map((text) => text.charCodeAt(0));
        const changed = await Promise.all(untouched.map((text) => translator.translate(`Hello ${text} world`)));
        seen.unchanged = changed.filter((text, i) => text === `Hello ${untouched[i]} world`);
        seen.usage = [
          await translator.measureInputUsage(""),
          await translator.measureInputUsage("Hello"),
          await translator.measureInputUsage("Hello".repeat(100)),
          Number.isFinite(translator.inputQuota),
        ];
        for (const method of ["translate", "measureInputUsage"]) {
          const reason = new DOMException("mine", "VersionError");
          const controller = new AbortController();
          const call = translator[method]("Hello", { signal: controller.signal });
          controller.abort(reason);
          seen[method] = [
            (await outcome(call)) === reason,
            (await outcome(translator[method]("Hello", { signal: controller.signal }))) === reason,
            await errorName(translator[method]("Hello", { signal: AbortSignal.abort() })),
            await errorName(translator[method]("Hello")),
          ];
        }
        const reason = new Error("stream");
        const controller = new AbortController();
        const stream = translator.translateStreaming("Hello.\nYou.", { signal: controller.signal });
        const early = translator.translateStreaming("Hello.\nYou.", { signal: controller.signal });
        controller.abort(reason);
        seen.streams = [
          (await outcome(stream.pipeTo(new WritableStream()))) === reason,
          (await outcome(early.getReader().read())) === reason,
          thrown(() => translator.translateStreaming("Hello", { signal: controller.signal })) === reason,
          Object.prototype.toString.call(translator.translateStreaming("Hello")),
          (await read(translator.translateStreaming("Good morning."))) ===
            (await translator.translate("Good morning.")),
          await read(translator.translateStreaming("")),
        ];
        const large = "a".repeat(translator.inputQuota + 1);
        /** @type {any} */
        const quota = await outcome(translator.translate(large));
        seen.quota = [
          quota.name,
          quota.quota === translator.inputQuota,
          quota.requested === large.length,
          !("QuotaExceededError" in globalThis) ||
            quota.constructor === /** @type {any} */ (globalThis).QuotaExceededError,
          await errorName(translator.translateStreaming(large).getReader().read()),
          await translator.measureInputUsage(large),
        ];
        return seen;
      });
      assert.deepEqual(seen.foreign, Array(4).fill("TypeError"));
      assert.deepEqual(seen.refused, Array(15).fill("TypeError"));
      assert.deepEqual(seen.accepted, ["fulfilled", "fulfilled", "fulfilled", "string", "string", true]);
      assert.equal(seen.frame, "frame");
      assert.deepEqual(seen.echoed, []);
      assert.deepEqual(seen.unchanged, []);
      assert.deepEqual(seen.usage, [1, 5, 500, true]);
      for (const method of ["translate", "measureInputUsage"]) {
        assert.deepEqual(seen[method], [true, true, "AbortError", "fulfilled"], method);
      }
      assert.deepEqual(seen.streams, [true, true, true, "[object ReadableStream]", true, ""]);
      assert.deepEqual(seen.quota, ["QuotaExceededError", true, true, true, "QuotaExceededError", 2 ** 24 + 1]);
      assert.deepEqual(errors, []);
    }));

  test("a document that is not active has no translators", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await page.evaluate(installHelpers);
      const names = await page.evaluate(async () => {
        const { errorName, pair, thrown } = globalThis;
        const frame = document.createElement("iframe");
        frame.src = "/blank.html?frame";
        const loaded = new Promise((resolve) => (frame.onload = resolve));
        document.body.append(frame);
        await loaded;
        const inner = /** @type {any} */ (frame.contentWindow);
        const { Translator, LanguageDetector } = await inner.eval('import("/library/wanderwort.js")');
        const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "en-GB" });
        const detector = await LanguageDetector.create();
        frame.remove();
        return [
          await errorName(LanguageDetector.create()),
          await errorName(LanguageDetector.availability()),
          await errorName(detector.detect("Hello")),
          await errorName(detector.measureInputUsage("Hello")),
          await errorName(Translator.create(pair)),
          await errorName(Translator.availability(pair)),
          await errorName(translator.translate("Hello")),
          await errorName(translator.measureInputUsage("Hello")),
          thrown(() => translator.translateStreaming("Hello")).name,
          // Arguments are checked first.
          await errorName(Translator.create({})),
        ];
      });
      assert.deepEqual(names, [...Array(9).fill("InvalidStateError"), "TypeError"]);
    }));

  test("what goes wrong on the way has the standard's names", () => {
    let broken = "list";
    const server = {
      /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
      intercept: (request, response) => {
        const url = request.url ?? "";
        const hit = broken === "list" ? url.endsWith("index.json") : broken === "model" && url.endsWith(".wanderwort");
        if (hit) response.writeHead(404).end();
        if (broken === "package" && url.endsWith(".wanderwort")) response.writeHead(200).end("x".repeat(PACKAGE_SIZE));
        return hit || response.headersSent;
      },
    };
    return withPage({ path: BLANK, server }, async ({ page }) => {
      await openLibrary(page);
      const ask = () =>
        page.evaluate(async () => {
          const { Translator, errorName, pair } = globalThis;
          return [await errorName(Translator.availability(pair)), await errorName(Translator.create(pair))];
        });
      assert.deepEqual(await ask(), ["UnknownError", "UnknownError"]);
      broken = "model";
      assert.deepEqual(await ask(), ["fulfilled", "NetworkError"]);
      broken = "package";
      assert.deepEqual(await ask(), ["fulfilled", "NetworkError"]);
      broken = "nothing";
      const own = await page.evaluate(async () => {
        const { Translator, errorName, pair } = globalThis;
        const files = [new File(["WANDERW\nno package"], "broken.wanderwort")];
        return errorName(Translator.create({ ...pair, files }));
      });
      assert.equal(own, "OperationError");
      assert.deepEqual(await ask(), ["fulfilled", "fulfilled"]);
    });
  });

  test("streams and requests go on though nobody holds the translator", async () => {
    await launchWith({ exposeGc: true }, (own) =>
      own({ path: BLANK }, async ({ page }) => {
        await openLibrary(page);
        const text = await page.evaluate(async () => {
          const { Translator, pair, read, later } = globalThis;
          const { gc = () => {} } = /** @type {any} */ (globalThis);
          const start = async () => {
            const translator = await Translator.create(pair);
            return [
              translator.translate("Good morning. ".repeat(300)),
              translator.translateStreaming("Good morning.\nGood night."),
            ];
          };
          const startBlock = async () => {
            const translator = await Translator.create(pair);
            const text = "Good evening. ".repeat(300);
            return [translator.translateBlock(text, Uint32Array.of(2 ** 32 - 1, 2, 0, text.length)).result];
          };
          const [promise, stream] = await start();
          const [block] = await startBlock();
          for (let i = 0; i < 10; i++) {
            gc();
            await later(10);
          }
          const all = read(stream);
          gc();
          return [await promise, await all, (await block).text].join();
        });
        assert.match(text, /Morgen[^]*Nacht[^]*Abend/);
      }),
    );
  });

  test("what an old library does to a page's arrays does no harm, neither now nor to other pages", () =>
    withPage({ path: BLANK }, async ({ page, url, errors }) => {
      const translates = () =>
        page.evaluate(async () => {
          const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
          const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de" });
          const { text, tokens } = await translator.translateDetailed("Good morning.");
          translator.destroy();
          return tokens.length > 0 && text;
        });
      // What Prototype.js 1.6 and 1.7 put on every page that used them.
      await page.evaluate(() => {
        const list = /** @type {any} */ (Array.prototype);
        list.toJSON = function () {
          return `[${Array.prototype.map.call(this, (value) => JSON.stringify(value)).join(", ")}]`;
        };
        /** @type {any} */ (String.prototype).toJSON = function () {
          return JSON.stringify(String(this));
        };
        list.reduce = function () {
          return this.length > 1 ? this : this[0];
        };
        /** @type {any} */ (Array).from = (/** @type {any} */ items) => [].slice.call(items);
      });
      assert.match(String(await translates()), /Morgen/);
      await page.goto(`${url}${BLANK}`);
      assert.match(String(await translates()), /Morgen/, "another page of the origin");
      // Whatever is in the storage.
      await page.evaluate(async () => {
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys()) {
            if (/list\?/.test(request.url))
              await cache.put(request, new Response('{"files": "many", "models": {"0": 1}}'));
          }
        }
      });
      await page.goto(`${url}${BLANK}`);
      assert.match(String(await translates()), /Morgen/, "with a list that is none");
      await page.evaluate(async () => {
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys()) {
            if (!/list\?/.test(request.url)) await cache.put(request, new Response("x".repeat(512 * 1024)));
          }
        }
      });
      await page.goto(`${url}${BLANK}`);
      assert.match(String(await translates()), /Morgen/, "with parts of a model that are none");
      assert.deepEqual(errors, []);
    }));

  test("the language detector looks as a browser's own does, and converts its arguments so", () =>
    withPage({ path: BLANK }, async ({ page, requests }) => {
      await openLibrary(page);
      const seen = await page.evaluate(async () => {
        const { LanguageDetector, errorName, outcome, thrown } = globalThis;
        const own = Object.getOwnPropertyDescriptor;
        const tag = own(LanguageDetector.prototype, Symbol.toStringTag);
        /** @type {Record<string, unknown>} */
        const seen = {
          members: Object.keys(LanguageDetector.prototype).sort(),
          statics: Object.keys(LanguageDetector).sort(),
          lengths: ["detect", "measureInputUsage", "destroy"].map((name) => LanguageDetector.prototype[name].length),
          staticLengths: [
            LanguageDetector.length,
            LanguageDetector.create.length,
            LanguageDetector.availability.length,
          ],
          tag: [LanguageDetector.name, tag?.value, tag?.writable, tag?.enumerable],
          illegal: thrown(() => new LanguageDetector()).name,
        };
        for (const method of ["create", "availability"]) {
          const call = (/** @type {unknown} */ expectedInputLanguages) =>
            errorName(LanguageDetector[method]({ expectedInputLanguages }));
          seen[method] = [
            await errorName(LanguageDetector[method](5)),
            await errorName(LanguageDetector[method]("en")),
            await call(null),
            await call("en"),
            await call({ length: 1, 0: "en" }),
            await call([Symbol("en")]),
            await call(["en", "e"]),
            await call([undefined]),
            await call([""]),
          ];
        }
        const create = (/** @type {object} */ options) => errorName(LanguageDetector.create(options));
        seen.signals = [
          await create({ signal: null }),
          await create({ monitor: null }),
          await create({ expectedInputLanguages: ["e"], signal: AbortSignal.abort() }),
          await create({ expectedInputLanguages: ["tlh"], signal: AbortSignal.abort() }),
          await create({ expectedInputLanguages: ["en", "tlh"] }),
        ];
        /** @type {string[]} */
        const order = [];
        const get = (/** @type {object} */ target, /** @type {string} */ key) => (
          order.push(key),
          Reflect.get(target, key)
        );
        await outcome(
          LanguageDetector.create(new Proxy({ expectedInputLanguages: ["e"] }, /** @type {any} */ ({ get }))),
        );
        seen.order = order;
        const ask = (/** @type {string[]} */ ...expectedInputLanguages) =>
          LanguageDetector.availability({ expectedInputLanguages });
        seen.offers = [
          await LanguageDetector.availability(),
          await LanguageDetector.availability(null),
          await ask(),
          await ask("en", "de-AT", "zh-Hant-TW", "sr-Latn", "nb"),
          await ask("en", "tlh"),
          await LanguageDetector.availability({ expectedInputLanguages: new Set(["en"]) }),
        ];
        return seen;
      });
      assert.deepEqual(seen.members, [
        "destroy",
        "detect",
        "expectedInputLanguages",
        "inputQuota",
        "measureInputUsage",
      ]);
      assert.deepEqual(seen.statics, ["availability", "create"]);
      assert.deepEqual(seen.lengths, [1, 1, 0]);
      assert.deepEqual(seen.staticLengths, [0, 0, 0]);
      assert.deepEqual(seen.tag, ["LanguageDetector", "LanguageDetector", false, false]);
      assert.equal(seen.illegal, "TypeError");
      for (const method of ["create", "availability"]) {
        assert.deepEqual(seen[method], [...Array(6).fill("TypeError"), ...Array(3).fill("RangeError")], method);
      }
      assert.deepEqual(seen.signals, ["TypeError", "TypeError", "RangeError", "AbortError", "NotSupportedError"]);
      assert.deepEqual(seen.order, ["expectedInputLanguages", "monitor", "signal"]);
      assert.deepEqual(seen.offers, [
        "downloadable",
        "downloadable",
        "downloadable",
        "downloadable",
        "unavailable",
        "downloadable",
      ]);
      assert.ok(!requests.some((url) => /language-worker|eld\.js/.test(url)), "nothing is fetched before it is wanted");
    }));

  test("the language detector: progress, results, aborts at every moment, the end", () =>
    withPage({ path: BLANK }, async ({ page, errors }) => {
      await openLibrary(page);
      const seen = await page.evaluate(async () => {
        const { LanguageDetector, errorName, outcome, later } = globalThis;
        /** @type {Record<string, any>} */
        const seen = { faults: [] };
        const reason = new Error("enough");
        // The first are aborted while they load, those after them in each event, soon after it, and when everything is here.
        for (const share of [-1, 0, 1]) {
          for (const delay of [-1, 0, 10]) {
            const controller = new AbortController();
            const abort = () => controller.abort(reason);
            let afterwards = 0;
            const creating = LanguageDetector.create({
              signal: controller.signal,
              monitor: (/** @type {EventTarget} */ monitor) =>
                monitor.addEventListener("downloadprogress", (event) => {
                  afterwards += Number(controller.signal.aborted);
                  if (/** @type {ProgressEvent} */ (event).loaded !== share) return;
                  if (delay < 0) abort();
                  else setTimeout(abort, delay);
                }),
            });
            if (share < 0) setTimeout(abort, Math.max(0, delay));
            const result = await creating.catch((/** @type {unknown} */ error) => error);
            // What came before the abort is destroyed by it.
            if (!controller.signal.aborted) abort();
            const last = result instanceof LanguageDetector ? await outcome(result.detect("Hello")) : result;
            if (last !== reason || afterwards > 0) seen.faults.push([share, delay, String(last), afterwards]);
          }
        }
        /** @type {number[]} */
        const progress = (seen.progress = []);
        const creating = LanguageDetector.create({
          expectedInputLanguages: ["en-GB", "EN", "nb-NO"],
          monitor: (/** @type {any} */ monitor) =>
            (monitor.ondownloadprogress = (/** @type {ProgressEvent} */ event) => progress.push(event.loaded)),
        });
        const detector = await creating;
        seen.expected = [detector.expectedInputLanguages, Object.isFrozen(detector.expectedInputLanguages)];
        const plain = await LanguageDetector.create({ expectedInputLanguages: [] });
        seen.nothing = [plain.expectedInputLanguages, await LanguageDetector.availability()];
        const texts = {
          en: "The weather is nice today, so we will go for a walk.",
          de: "Das Wetter ist heute schön, also gehen wir spazieren.",
          fr: "Il fait beau aujourd'hui, alors nous allons nous promener.",
          ru: "Сегодня хорошая погода, поэтому мы пойдём гулять.",
          ja: "今日は天気がいいので、散歩に行きましょう。",
          nb: "Kurset passer for deg som skal sørge for støtte av maskiner i et nettverk.",
        };
        seen.found = {};
        for (const [language, text] of Object.entries(texts)) seen.found[language] = await detector.detect(text);
        seen.norwegian = (await plain.detect(texts.nb))[0].detectedLanguage;
        seen.both = (await detector.detect(`${texts.en}\n${texts.de}`)).map(
          (/** @type {any} */ found) => found.detectedLanguage,
        );
        seen.none = [
          await detector.detect(""),
          await detector.detect("12,3 \ud83d 🎉"),
          await detector.detect("\u0000\ud800"),
        ];
        seen.long = (await detector.detect(texts.de.repeat(20_000)))[0];
        seen.usage = [
          await detector.measureInputUsage(""),
          await detector.measureInputUsage("Hello"),
          detector.inputQuota,
        ];
        /** @type {any} */
        const quota = await outcome(detector.detect("a".repeat(detector.inputQuota + 1)));
        seen.quota = [quota.name, quota.quota === detector.inputQuota, quota.requested === detector.inputQuota + 1];
        seen.refused = [];
        for (const values of [[], [Symbol("a")], ["a", 5], ["a", { signal: null }]]) {
          for (const method of ["detect", "measureInputUsage"])
            seen.refused.push(await errorName(detector[method](...values)));
        }
        seen.refused.push(await errorName(detector.detect.call({}, "a")));
        for (const method of ["detect", "measureInputUsage"]) {
          const controller = new AbortController();
          const call = detector[method]("Hello", { signal: controller.signal });
          controller.abort(reason);
          seen[method] = [
            (await outcome(call)) === reason,
            (await outcome(detector[method]("Hello", { signal: controller.signal }))) === reason,
            await errorName(detector[method]("Hello")),
          ];
        }
        const pending = [detector.detect(texts.en), detector.measureInputUsage(texts.en)].map(errorName);
        detector.destroy();
        detector.destroy();
        seen.destroyed = await Promise.all([
          ...pending,
          errorName(detector.detect("a")),
          errorName(detector.measureInputUsage("a")),
        ]);
        seen.other = (await plain.detect(texts.fr))[0].detectedLanguage;
        plain.destroy();
        await later(0);
        const again = await LanguageDetector.create();
        seen.again = (await again.detect(texts.de))[0].detectedLanguage;
        again.destroy();
        return seen;
      });
      assert.deepEqual(seen.faults, []);
      assert.deepEqual(seen.progress, [0, 1]);
      assert.deepEqual(seen.expected, [["en", "nb"], true]);
      assert.deepEqual(seen.nothing, [null, "available"]);
      for (const [language, results] of Object.entries(seen.found)) {
        assert.equal(results[0].detectedLanguage, language, JSON.stringify(results));
        const rest = results.at(-1);
        assert.equal(rest.detectedLanguage, "und");
        let sum = rest.confidence;
        let last = 1;
        for (const { detectedLanguage, confidence } of results.slice(0, -1)) {
          assert.equal(Intl.getCanonicalLocales(detectedLanguage)[0], detectedLanguage);
          assert.ok(confidence > 0 && confidence <= last && confidence >= rest.confidence, JSON.stringify(results));
          sum += confidence;
          last = confidence;
        }
        assert.equal(sum, 1);
      }
      assert.equal(seen.norwegian, "no");
      assert.deepEqual(seen.both, ["de", "en", "und"]);
      for (const results of seen.none) assert.deepEqual(results, [{ detectedLanguage: "und", confidence: 1 }]);
      assert.equal(seen.long.detectedLanguage, "de");
      assert.deepEqual(seen.usage, [1, 5, 2 ** 24]);
      assert.deepEqual(seen.quota, ["QuotaExceededError", true, true]);
      assert.deepEqual(seen.refused, Array(9).fill("TypeError"));
      for (const method of ["detect", "measureInputUsage"]) assert.deepEqual(seen[method], [true, true, "fulfilled"]);
      assert.deepEqual(seen.destroyed, Array(4).fill("AbortError"));
      assert.deepEqual([seen.other, seen.again], ["fr", "de"], "others work on, and one can be made again");
      assert.deepEqual(errors, []);
    }));

  test("a language detector that cannot be loaded is a NetworkError, and the next one tries again", () => {
    let broken = true;
    const server = {
      /** @type {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} */
      intercept: (request, response) => {
        if (!broken || !request.url?.endsWith("eld.js")) return false;
        response.writeHead(404).end();
        return true;
      },
    };
    return withPage({ path: BLANK, server }, async ({ page }) => {
      await openLibrary(page);
      const create = () => page.evaluate(() => globalThis.errorName(globalThis.LanguageDetector.create()));
      assert.equal(await create(), "NetworkError");
      assert.equal(await page.evaluate(() => globalThis.LanguageDetector.availability()), "downloadable");
      broken = false;
      assert.equal(await create(), "fulfilled");
    });
  });

  test(`a signal of ${browserName}'s own, a timeout, is a reason too`, () =>
    withPage({ path: BLANK }, async ({ page }) => {
      await openLibrary(page);
      const name = await page.evaluate(async () => {
        const { Translator, errorName, pair } = globalThis;
        const translator = await Translator.create(pair);
        const long = "This sentence is one of very many that nobody will wait for. ".repeat(5000);
        return errorName(translator.translate(long, { signal: AbortSignal.timeout(30) }));
      });
      assert.equal(name, "TimeoutError");
    }));
});
