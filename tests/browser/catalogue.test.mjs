/**
 * Models of other lists: found, fetched from whichever source has them, checked, kept, and used one after the other.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";
import { Hosts, RECORDS, REGISTRY, folderOf, standIn } from "./hosts.mjs";
import { MODELS, sentences, translateNatively } from "./native.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

const LINES = sentences().slice(0, 12);
const FRENCH = standIn("fren");
const WEIGHTS = "/attachments/fren-3.0/model.fren.intgemm.alphas.bin.zst";
const SHORTLIST = "/attachments/fren-3.0/lex.50.50.fren.s2t.bin.zst";
const FILES = ["/attachments/fren-3.0/vocab.fren.spm.zst", WEIGHTS, SHORTLIST];
const DIRECT = translateNatively(LINES, folderOf(FRENCH));

const LISTS = [RECORDS, REGISTRY];
const TO_ENGLISH = { sourceLanguage: "fr", targetLanguage: "en", models: LISTS };

/** @param {Page} page @param {string[]} lines */
const translate = (page, lines) => page.evaluate((text) => translator.translate(text), lines.join("\n"));

/** @param {Page} page @param {object} options */
const availability = (page, options) =>
  page.evaluate(async (options) => {
    const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    return Translator.availability(options);
  }, options);

/** The error with which creating a translator fails. @param {Page} page @param {object} options @returns {Promise<string>} */
const failure = (page, options) => createTranslator(page, options).then(() => "nothing", String);

inEveryBrowser("models of other lists", ({ withPage }) => {
  /**
   * @param {(hosts: Hosts) => void} prepare
   * @param {(opened: import("./harness.mjs").OpenPage, hosts: Hosts) => Promise<void>} action
   */
  const withHosts = (prepare, action) => {
    const hosts = new Hosts();
    prepare(hosts);
    return withPage({ path: BLANK, server: { intercept: hosts.intercept } }, (opened) => {
      hosts.origin = opened.url.replace(/\/$/, "");
      return action(opened, hosts);
    });
  };
  const published = (/** @type {Hosts} */ hosts) => hosts.publish("fr", "en", FRENCH);

  test("a model of the records is fetched, unpacked, checked and kept", () =>
    withHosts(published, async ({ page, url }, hosts) => {
      assert.equal(await availability(page, TO_ENGLISH), "downloadable");
      const info = await createTranslator(page, TO_ENGLISH);
      assert.deepEqual(hosts.takeFileRequests(), FILES);
      assert.equal(await translate(page, LINES), DIRECT.join("\n"));
      assert.ok(info.stored && info.notStored === undefined);

      await page.goto(url + BLANK);
      assert.equal(await availability(page, TO_ENGLISH), "available");
      await createTranslator(page, TO_ENGLISH);
      assert.equal(await translate(page, LINES), DIRECT.join("\n"));
      assert.deepEqual(hosts.takeFileRequests(), [], "what is kept is not asked for again");

      await page.evaluate(async (lists) => {
        const { listModels, removeModel } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        for (const model of await listModels(lists)) await removeModel(model);
      }, LISTS);
      assert.equal(await availability(page, TO_ENGLISH), "downloadable");
    }));

  test("what had arrived of a compressed file is not asked for again", () =>
    withHosts(published, async ({ page, url }, hosts) => {
      const file = hosts.file(WEIGHTS);
      hosts.misbehave = (path, request, response) => {
        if (path.startsWith("/registry/")) return Boolean(response.writeHead(404).end());
        if (path !== WEIGHTS) return false;
        if (request.headers.range) return Boolean(response.writeHead(404).end());
        return hosts.send(file, 0, response, file.length * 0.6);
      };
      assert.match(await failure(page, TO_ENGLISH), /404/);
      hosts.misbehave = () => false;
      hosts.takeFileRequests();
      await page.goto(url + BLANK);
      await createTranslator(page, TO_ENGLISH);
      assert.equal(await translate(page, LINES), DIRECT.join("\n"));
      const [first, ...others] = hosts.takeFileRequests();
      const from = Number(/ from (\d+)$/.exec(first ?? "")?.[1]);
      assert.ok(first?.startsWith(WEIGHTS) && from > file.length * 0.4, `${first}`);
      assert.deepEqual(others, [SHORTLIST]);
    }));

  test("a source that refuses, lies or breaks is followed by the next one", () =>
    withHosts(published, async ({ page, url }, hosts) => {
      const weights = "/registry/fr-en/model.fren.intgemm.alphas.bin.gz";
      const wrong = Buffer.from(hosts.file(WEIGHTS));
      wrong[wrong.length >> 1] = (wrong[wrong.length >> 1] ?? 0) ^ 1;
      const faults = /** @type {Record<string, import("./hosts.mjs").Misbehaviour>} */ ({
        406: (_path, _request, response) => Boolean(response.writeHead(406).end()),
        "another checksum": (_path, _request, response) => hosts.send(wrong, 0, response),
        rubbish: (_path, _request, response) => hosts.send(Buffer.from("<html>Sign in"), 0, response),
        "a cut file": (_path, _request, response) => hosts.send(hosts.file(WEIGHTS).subarray(0, 100_000), 0, response),
      });
      for (const [name, fault] of Object.entries(faults)) {
        hosts.misbehave = (path, request, response) => path === WEIGHTS && fault(path, request, response);
        const info = await createTranslator(page, TO_ENGLISH);
        assert.equal(await translate(page, LINES), DIRECT.join("\n"), name);
        const requests = hosts.takeFileRequests();
        assert.ok(requests.includes(WEIGHTS) && requests.includes(weights), `${name}: ${requests}`);
        // The registry does not describe its files in their packed form.
        assert.match(info.notStored ?? "", /cannot be kept/, name);
        await page.goto(url + BLANK);
      }
      hosts.misbehave = (path, _request, response) =>
        (path === WEIGHTS || path === weights) && Boolean(response.writeHead(406).end());
      const message = await failure(page, TO_ENGLISH);
      assert.match(message, /No source of model\.fren\.intgemm\.alphas\.bin .*406.*406/s);
    }));

  test("a list that cannot be reached is the one kept last; newer models than are known are said", () =>
    withHosts(published, async ({ page, url }, hosts) => {
      hosts.publish("ja", "en", standIn("jaen"), { version: "4.0", inRegistry: false });
      const catalogue = () =>
        page.evaluate(async (lists) => {
          const { loadCatalogue } = await import(/** @type {any} */ ("/library/wanderwort.js"));
          const { models, notes } = await loadCatalogue(lists);
          const names = models.map((/** @type {{name: string}} */ model) => model.name);
          return { names, notes: /** @type {string[]} */ (notes) };
        }, LISTS);
      const first = await catalogue();
      assert.deepEqual(first.names, ["fr-en.tiny"]);
      assert.match(first.notes.join(), /^ja-en\.tiny: version 4\.0 needs a newer version/);
      const japanese = { sourceLanguage: "ja", targetLanguage: "en", models: LISTS };
      assert.equal(await availability(page, japanese), "unavailable");
      assert.match(await failure(page, japanese), /NotSupportedError/);

      hosts.misbehave = (_path, _request, response) => Boolean(response.writeHead(503).end());
      await page.goto(url + BLANK);
      assert.deepEqual((await catalogue()).names, ["fr-en.tiny"]);
      assert.deepEqual(hosts.takeFileRequests(), []);
      assert.match(await failure(page, { ...TO_ENGLISH, models: ["/nowhere/records"] }), /UnknownError.*404/s);
    }));

  test("two models one after the other translate as the native engine's two do", () =>
    withHosts(published, async ({ page }, hosts) => {
      const options = { sourceLanguage: "fr", targetLanguage: "de", models: ["/models/index.json", ...LISTS] };
      assert.equal(await availability(page, options), "downloadable");
      const found = await page.evaluate(async (options) => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        /** @type {number[]} */
        const shares = [];
        const translator = await Translator.create({
          ...options,
          monitor: (/** @type {any} */ monitor) =>
            (monitor.ondownloadprogress = (/** @type {ProgressEvent} */ event) => shares.push(event.loaded)),
        });
        Object.assign(globalThis, { translator });
        const { sourceLanguage, targetLanguage, models } = translator;
        return { sourceLanguage, targetLanguage, names: models.map((/** @type {any} */ model) => model.name), shares };
      }, options);
      assert.deepEqual(
        [found.sourceLanguage, found.targetLanguage, ...found.names],
        ["fr", "de", "fr-en.tiny", "en-de.tiny"],
      );
      assert.ok(found.shares[0] === 0 && found.shares.at(-1) === 1, `${found.shares}`);
      assert.ok(
        found.shares.every((share, i) => i === 0 || share > (found.shares[i - 1] ?? 0)),
        `${found.shares}`,
      );
      assert.deepEqual(hosts.takeFileRequests(), FILES);
      const second = `${MODELS}/en-de.tiny.wanderwort`;
      const expected = translateNatively(LINES, folderOf(FRENCH), ["--pivot", second]);
      assert.equal(await translate(page, LINES), expected.join("\n"));

      // Alignments, blocks with markup and given prefixes go through both.
      const text = LINES[0] ?? "";
      const { detailed, places, from } = await page.evaluate(async (text) => {
        const detailed = await translator.translateDetailed(text);
        const end = text.length;
        const block = await translator.translateBlock(text, new Uint32Array([2 ** 32 - 1, 0, 0, end, 0, 2, 0, end]))
          .result;
        const begun = await translator.translateFrom(text, "Vielleicht", { alternatives: true });
        return { detailed, places: Array.from(block.places), from: begun };
      }, text);
      assert.equal(detailed.text, expected[0]);
      assert.ok(detailed.tokens.length > 3);
      for (const { source, target } of detailed.tokens) {
        assert.ok(source[0] <= source[1] && source[1] <= text.length && target[1] <= detailed.text.length);
      }
      assert.ok(detailed.tokens.some((/** @type {any} */ token) => token.source[1] > token.source[0]));
      assert.equal(places.length, 8);
      assert.ok(from.text.startsWith("Vielleicht"), from.text);
      assert.ok(from.candidates.length > 1, "there are others to choose from");

      // A pair that has a model of its own uses that.
      assert.deepEqual(
        await page.evaluate(async (models) => {
          const { constructor } = translator;
          const direct = await constructor.create({ sourceLanguage: "en", targetLanguage: "de", models });
          return direct.models.map((/** @type {any} */ model) => model.name);
        }, options.models),
        ["en-de.tiny"],
      );
    }));

  test("a model that a pair and a half of another pair share is in memory once, until the last of them ends", () =>
    withHosts(published, async ({ page }, hosts) => {
      const found = await page.evaluate(
        async (lists, text) => {
          const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
          let workers = 0;
          globalThis.Worker = class extends Worker {
            /** @param {ConstructorParameters<typeof Worker>} options */
            constructor(...options) {
              super(...options);
              // The threads of an engine are workers too.
              if (String(options[0]).endsWith("/worker/worker.js")) workers++;
            }
          };
          const models = ["/models/index.json", ...lists];
          /** @param {string} sourceLanguage @param {string} targetLanguage */
          const create = async (sourceLanguage, targetLanguage) => {
            const translator = await Translator.create({ sourceLanguage, targetLanguage, models });
            return { translator, first: await translator.translate(text) };
          };
          const pivot = await create("fr", "de");
          const english = await create("en", "de");
          const french = await create("fr", "en");
          const all = [pivot, english, french];
          const infos = all.map(({ translator }) => translator.info);
          const together = await Promise.all(all.map(({ translator }) => translator.translate(text)));
          // The others continue without the one that loaded the models.
          pivot.translator.destroy();
          const left = [await english.translator.translate(text), await french.translator.translate(text)];
          const gone = await pivot.translator.translate(text).catch((/** @type {Error} */ error) => error.name);
          english.translator.destroy();
          const anew = await create("en", "de");
          french.translator.destroy();
          const joined = await create("fr", "de");
          return {
            ...{ infos, together, left, gone, workers },
            firsts: all.map(({ first }) => first),
            later: [anew, joined].map(({ translator, first }) => ({ first, info: translator.info })),
          };
        },
        LISTS,
        LINES.join("\n"),
      );
      const sizes = found.infos.map(({ weightBytes }) => weightBytes);
      assert.equal(sizes[0], sizes[1] + sizes[2]);
      assert.equal(new Set(found.infos.map(({ worker }) => worker)).size, 1);
      // Two more translators take no room for models.
      const [alone, , three] = found.infos.map(({ memoryBytes }) => memoryBytes);
      assert.ok(three - alone < 0.1 * sizes[1], `${alone}, ${three}, ${sizes}`);
      assert.ok(found.infos.every(({ stored }) => stored));
      assert.deepEqual(hosts.takeFileRequests(), FILES);
      const second = `${MODELS}/en-de.tiny.wanderwort`;
      const expected = [
        translateNatively(LINES, folderOf(FRENCH), ["--pivot", second]),
        translateNatively(LINES, second),
        DIRECT,
      ].map((lines) => lines.join("\n"));
      assert.deepEqual(found.firsts, expected);
      assert.deepEqual(found.together, expected);
      assert.deepEqual(found.left, expected.slice(1));
      assert.match(found.gone, /AbortError|InvalidStateError/);
      // The English one went with its last user; then a pair joins the model that another one has to itself.
      const [anew, joined] = found.later;
      assert.deepEqual([anew?.first, joined?.first], [expected[1], expected[0]]);
      assert.notEqual(anew?.info.worker, found.infos[0].worker);
      assert.equal(joined?.info.worker, anew?.info.worker);
      assert.equal(found.workers, 2);
    }));

  test("who names the models of both halves is given those", () =>
    withHosts(published, async ({ page }) => {
      const lists = ["/models/index.json", ...LISTS];
      const pair = { sourceLanguage: "fr", targetLanguage: "de", models: lists };
      for (const [model, expected] of /** @type {const} */ ([
        [["fr-en.tiny", "en-de.tiny"], "downloadable"],
        [["en-de.tiny", "fr-en.tiny"], "unavailable"],
        [["fr-en.tiny", "other"], "unavailable"],
        ["fr-en.tiny", "unavailable"],
        [["fr-en.tiny", "en-de.tiny", "en-de.tiny"], "unavailable"],
      ])) {
        assert.equal(await availability(page, { ...pair, model }), expected, String(model));
      }
      assert.equal(await availability(page, { ...TO_ENGLISH, model: ["fr-en.tiny"] }), "downloadable");
      assert.match(await failure(page, { ...pair, model: ["a", "b"] }), /no model a and b from fr to de/);
    }));

  test("nothing is asked of another list's host unless the page names it", () =>
    withHosts(published, async ({ page }, hosts) => {
      await createTranslator(page);
      assert.equal(await availability(page, { sourceLanguage: "fr", targetLanguage: "en" }), "unavailable");
      assert.deepEqual(hosts.requests, []);
    }));
});
