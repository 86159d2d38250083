/**
 * The classes of `@browsermt/bergamot-translator` over this engine: a program written for that package does the same with both.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bergamotServer } from "./bergamot.mjs";
import { inEveryBrowser } from "./harness.mjs";

inEveryBrowser("bergamot", ({ withPage }) => {
  test("a program written for the package runs alike with both", async () => {
    /** @type {any[]} */
    const results = [];
    for (const path of ["theirs.html", "ours.html"]) {
      await withPage({ path, server: bergamotServer() }, async ({ page }) => {
        results.push(
          await page.evaluate(async () => {
            const { run } = await import(/** @type {any} */ ("/program/program.js"));
            return JSON.parse(JSON.stringify(await run()));
          }),
        );
      });
    }
    const [theirs, ours] = results;
    assert.equal(theirs.fromRegistry.answers[0].text, "Das Haus ist groß.");
    assert.deepEqual(ours, theirs);
  });

  /**
   * Opens the page with the library's classes, which are `bergamot` there; `live` holds the workers that there are, `sent` counts
   * what they are sent, by type.
   * @param {(page: import("./harness.mjs").Page) => Promise<void>} action
   * @param {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} [intercept]
   */
  const withOurs = (action, intercept) => {
    const server = bergamotServer();
    const answer = server.intercept;
    server.intercept = async (request, response) =>
      (await intercept?.(request, response)) || ((await answer?.(request, response)) ?? false);
    return withPage({ path: "ours.html", server }, async ({ page, errors }) => {
      await page.evaluate(async () => {
        const live = new Set();
        /** @type {Record<string, number>} */
        const sent = {};
        globalThis.Worker = class extends Worker {
          /** @param {ConstructorParameters<typeof Worker>} options */
          constructor(...options) {
            super(...options);
            live.add(this);
          }
          /** @param {any[]} message */
          postMessage(...message) {
            sent[message[0].type] = (sent[message[0].type] ?? 0) + 1;
            super.postMessage(.../** @type {[any]} */ (message));
          }
          terminate() {
            live.delete(this);
            super.terminate();
          }
        };
        const bergamot = await import(/** @type {any} */ ("/bergamot/bergamot.js"));
        const describe = (/** @type {any} */ error) => `${error.constructor.name} ${error.name}: ${error.message}`;
        const settle = (/** @type {Promise<any>} */ promise) => promise.then(({ target }) => target.text, describe);
        Object.assign(globalThis, { bergamot, live, sent, settle });
      });
      await action(page);
      assert.deepEqual(errors, []);
    });
  };

  test("what is under way when a translator is deleted is cancelled, and its workers end", () =>
    withOurs(async (page) => {
      const found = await page.evaluate(async () => {
        const { bergamot, live, settle } = /** @type {any} */ (globalThis);
        const request = { from: "en", to: "de", text: "The house is big. ".repeat(2000) };
        const registryUrl = "/registry.json";
        const batch = new bergamot.BatchTranslator({ registryUrl, workers: 2, batchSize: 1 });
        const single = new bergamot.LatencyOptimisedTranslator({ registryUrl });
        // Afterwards they have their engines.
        const short = { ...request, text: "A house." };
        await Promise.all([batch.translate(short), batch.translate(short), single.translate(short)]);
        const before = live.size;
        const sent = [batch.translate(request), batch.translate(request), single.translate(request)].map(settle);
        await new Promise((resolve) => setTimeout(resolve, 50));
        const waiting = [batch.queue.length, single.pending];
        await Promise.all([batch.delete(), single.delete()]);
        const after = [batch.translate(short), single.translate(short)].map(settle);
        return { before, waiting, live: live.size, sent: await Promise.all(sent), after: await Promise.all(after) };
      });
      const cancelled = "CancelledError Error: translator got deleted";
      assert.deepEqual(found, {
        ...{ before: 3, waiting: [0, null], live: 0 },
        ...{ sent: [cancelled, cancelled, cancelled], after: [cancelled, cancelled] },
      });
    }));

  test("an abort ends what is under way, and the translator goes on", () =>
    withOurs(async (page) => {
      const found = await page.evaluate(async () => {
        const { bergamot, sent, settle } = /** @type {any} */ (globalThis);
        const translator = new bergamot.LatencyOptimisedTranslator({ registryUrl: "/registry.json" });
        const house = { from: "en", to: "de", text: "The house is big." };
        await translator.translate(house);
        const stopped = new AbortController();
        const long = settle(
          translator.translate({ ...house, text: "The house is big. ".repeat(2000) }, { signal: stopped.signal }),
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
        stopped.abort();
        const results = [await long, await settle(translator.translate(house))];
        results.push(await settle(translator.translate(house, { signal: stopped.signal })));
        await translator.delete();
        return { results, cancelled: sent.cancel };
      });
      assert.deepEqual(found, {
        results: ["CancelledError Error: abort signal", "Das Haus ist groß.", "CancelledError Error: abort signal"],
        cancelled: 1,
      });
    }));

  test("fragments of HTML of any kind come back whole", () =>
    withOurs(async (page) => {
      const cases = {
        "<td>The house is big.</td><td>It is old.</td>": "<td>Das Haus ist groß.</td><td>Es ist alt.</td>",
        "<p><b>The house is big.<p>It is old.": "<p><b>Das Haus ist groß.<p>Es ist alt.",
        "The house is big.</b> It is old.": "Das Haus ist groß.</b> Es ist alt.",
        "<script>let a = '<b>';</script><!-- big --><p class='a'>It is old.":
          "<script>let a = '<b>';</script><!-- big --><p class='a'>Es ist alt.",
        '<meta charset="latin1"><p>It is ä &amp; old.</p>': /^<meta charset="utf-8"><p>Es ist ä &amp; alt\.<\/p>$/,
        "": "",
      };
      const found = await page.evaluate(async (texts) => {
        const { bergamot, settle } = /** @type {any} */ (globalThis);
        const translator = new bergamot.BatchTranslator({ registryUrl: "/registry.json" });
        const request = (/** @type {string} */ text) =>
          translator.translate({ from: "en", to: "de", text, html: true });
        const answers = await Promise.all(texts.map(request).map(settle));
        await translator.delete();
        return answers;
      }, Object.keys(cases));
      for (const [i, expected] of Object.values(cases).entries()) {
        if (typeof expected === "string") assert.equal(found[i], expected);
        else assert.match(found[i] ?? "", expected);
      }
    }));

  test("what cannot be offered is an error, and what cannot be loaded too", () =>
    withOurs(async (page) => {
      const found = await page.evaluate(async () => {
        const { bergamot, live, settle } = /** @type {any} */ (globalThis);
        const house = { from: "en", to: "de", text: "The house is big." };
        const registryUrl = "/registry.json";
        const translator = new bergamot.BatchTranslator({ registryUrl });
        const scores = await settle(translator.translate({ ...house, html: true, qualityScores: true }));
        const plainScores = await settle(translator.translate({ ...house, qualityScores: true }));
        await translator.delete();

        const Backing = /** @type {new (options: object) => any} */ (bergamot.TranslatorBacking);
        /** What becomes of a model that is damaged like this. */
        const damaged = async (/** @type {(buffers: any) => any} */ damage) => {
          let isDamaged = true;
          class Damaged extends Backing {
            /** @param {any} pair @param {any} options */
            async loadTranslationModel(pair, options) {
              const buffers = await super.loadTranslationModel(pair, options);
              return isDamaged ? { ...buffers, ...damage(buffers) } : buffers;
            }
          }
          const options = { registryUrl };
          const translator = new bergamot.LatencyOptimisedTranslator(options, new Damaged(options));
          const error = await settle(translator.translate(house));
          isDamaged = false;
          translator.backing.buffers.clear();
          const { exports } = await translator.worker;
          await exports.freeTranslationModel(house);
          const then = await settle(translator.translate(house));
          await translator.delete();
          return [error, then];
        };
        const cut = await damaged(({ model }) => ({ model: model.slice(0, 1000) }));
        const none = await damaged(() => ({ vocabs: [] }));
        const lacking = await damaged(() => ({ model: undefined }));

        /** @type {string[]} */
        const told = [];
        class NoWorker extends Backing {
          async loadWorker() {
            throw new RangeError("too many");
          }
        }
        const onerror = (/** @type {Error} */ error) => told.push(error.message);
        const options = { registryUrl, onerror };
        const batch = await settle(new bergamot.BatchTranslator(options, new NoWorker(options)).translate(house));
        const single = await settle(
          new bergamot.LatencyOptimisedTranslator(options, new NoWorker(options)).translate(house),
        );
        return { scores, plainScores, cut, none, lacking, told, batch, single, live: live.size };
      });
      assert.match(found.scores, /^UnsupportedError UnsupportedError: Quality scores/);
      assert.equal(found.plainScores, "Das Haus ist groß.");
      assert.match(found.cut[0] ?? "", /^DOMException OperationError: .*model\.bin/);
      assert.match(found.none[0] ?? "", /^TypeError TypeError: .*0 vocabularies/);
      assert.match(found.lacking[0] ?? "", /^TypeError TypeError: .*no weights/);
      for (const [, then] of [found.cut, found.none, found.lacking]) assert.equal(then, "Das Haus ist groß.");
      assert.match(found.batch, /^Error Error: .*could not be started: too many/);
      assert.match(found.single, /^RangeError RangeError: too many/);
      assert.equal(found.told.length, 2);
      assert.equal(found.live, 0);
    }));

  test("downloads take no longer than they may, and what the server refuses is no model", () =>
    withOurs(
      async (page) => {
        const found = await page.evaluate(async () => {
          const { bergamot } = /** @type {any} */ (globalThis);
          const house = { from: "en", to: "de", text: "The house is big." };
          /** Where the context is insecure, pages cannot compute checksums. */
          const insecure = async () => {
            Object.defineProperty(crypto, "subtle", { value: undefined });
            const backing = new bergamot.TranslatorBacking({ registryUrl: "/registry.json" });
            const right = await backing.loadTranslationModel({ from: "en", to: "de" });
            const wrong = await backing
              .loadTranslationModel({ from: "en", to: "es" })
              .catch((/** @type {any} */ { message, cause }) => `${message} ${cause.name}`);
            return [right.model.byteLength > 0, wrong];
          };
          const request = (/** @type {object} */ options) =>
            new bergamot.BatchTranslator(options).translate(house).then(
              () => "translated",
              (/** @type {any} */ { message, cause }) => ({
                message,
                cause: cause && `${cause.name}: ${cause.message}`,
              }),
            );
          return {
            late: await request({ registryUrl: "/stalling.json", downloadTimeout: 300 }),
            gone: await request({ registryUrl: "/gone.json" }),
            none: await request({ registryUrl: "/none.json" }),
            insecure: await insecure(),
          };
        });
        assert.match(found.late.message, /\/stalled\.bin/);
        assert.match(found.late.cause, /^AbortError: .*300 milliseconds/);
        assert.match(found.gone.cause, /404 for \/gone\.bin/);
        assert.match(found.none.message, /none\.json.*404/);
        assert.equal(found.insecure[0], true);
        assert.match(String(found.insecure[1]), /vocab\.ende\.spm.* TypeError$/);
      },
      (request, response) => {
        const path = request.url ?? "";
        if (path === "/stalled.bin") return response.writeHead(200).write("a");
        const [, name] = /^\/(stall|g)(?:ing|one)\.json$/.exec(path) ?? [];
        if (!name) return false;
        const model = { name: name === "g" ? "/gone.bin" : "/stalled.bin" };
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ ende: { model } }));
        return true;
      },
    ));

  test("a worker has one thread, or as many as it is asked to have", () =>
    withOurs(async (page) => {
      const workers = await page.evaluate(async () => {
        const { bergamot, live } = /** @type {any} */ (globalThis);
        const counts = [];
        for (const threads of [undefined, 2]) {
          const translator = new bergamot.BatchTranslator({ registryUrl: "/registry.json", threads });
          await translator.translate({ from: "en", to: "de", text: "The house is big." });
          counts.push(live.size);
          await translator.delete();
          counts.push(live.size);
        }
        return counts;
      });
      const [one = 0, afterOne, two = 0, afterTwo] = workers;
      assert.equal(one, 1);
      assert.ok(two > one, `${two}`);
      assert.deepEqual([afterOne, afterTwo], [0, 0]);
    }));

  test("translations are kept as far as they are asked to be", () =>
    withOurs(async (page) => {
      const found = await page.evaluate(async () => {
        const { bergamot, sent } = /** @type {any} */ (globalThis);
        const texts = ["A house.", "A door.", "A house.", "A tree.", "A house.", "A door."];
        const counts = [];
        const answers = [];
        for (const cacheSize of [0, 2]) {
          const translator = new bergamot.BatchTranslator({ registryUrl: "/registry.json", cacheSize });
          sent.translate = 0;
          for (const text of texts) {
            const { target } = await translator.translate({ from: "en", to: "de", text });
            answers.push(target.text);
          }
          counts.push(sent.translate);
          await translator.delete();
        }
        return { counts, isSame: answers.slice(0, texts.length).join() === answers.slice(texts.length).join() };
      });
      assert.deepEqual(found, { counts: [6, 4], isSame: true });
    }));
});
