/**
 * Loading a model from servers that misbehave: never a wrong translation, never half a model, always a message.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";
import { MODELS } from "./native.mjs";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

/** @type {import("../../www/catalogue.js").ModelEntry & {files: {url: string, size: number}[]}} */
const model = JSON.parse(readFileSync(`${MODELS}/index.json`, "utf8")).models[0];

/** The largest of the model's files, for which the faults are meant. */
const file = model.files.reduce((a, b) => (a.size > b.size ? a : b));
const bytes = readFileSync(`${MODELS}/${file.url}`);

/** @param {Request} request */
const isForFile = (request) => request.url === `/models/${file.url}`;

/** @param {Request} request @returns {number} the first byte that a request asks for */
const rangeStart = (request) => Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);

/**
 * Answers like a server should, with the file as it is or as given, but for what `headers` changes.
 * @param {Request} request
 * @param {Response} response
 * @param {{content?: Buffer, ranges?: boolean, upTo?: number, headers?: Record<string, string>}} [options] after byte
 *   `upTo` the connection breaks
 */
function send(request, response, { content = bytes, ranges = true, upTo = Infinity, headers = {} } = {}) {
  const start = ranges ? rangeStart(request) : 0;
  if (ranges && request.headers.range) {
    if (start >= content.length) {
      response.writeHead(416, { "Content-Range": `bytes */${content.length}` }).end();
      return true;
    }
    response.setHeader("Content-Range", `bytes ${start}-${content.length - 1}/${content.length}`);
    response.statusCode = 206;
  }
  response.setHeader("Content-Length", content.length - start);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const end = Math.min(upTo, content.length);
  response.write(content.subarray(start, Math.max(start, end)), () => {
    // A browser drops what a page has not read yet when the connection breaks: leave it the time to.
    if (end < content.length || headers["Content-Length"]) setTimeout(() => response.socket?.end(), 1500);
    else response.end();
  });
  return true;
}

/** @param {Response} response @param {number} status */
function refuse(response, status) {
  response.writeHead(status).end();
  return true;
}

/**
 * What creating a translator in a page fails with.
 * @param {import("puppeteer-core").Page} page
 */
const failure = (page) =>
  createTranslator(page).then(
    () => assert.fail("the translator was created"),
    (error) => String(error.message),
  );

/** @param {import("puppeteer-core").Page} page */
async function translates(page) {
  assert.match(await page.evaluate(() => translator.translate("Good morning.")), /Morgen/);
}

/** @param {import("puppeteer-core").Page} page */
const availability = (page) =>
  page.evaluate(async () => {
    const { Translator } = await import(/** @type {any} */ ("/wanderwort.js"));
    return Translator.availability({ sourceLanguage: "en", targetLanguage: "de" });
  });

inEveryBrowser("loading", ({ name, launchWith, withPage }) => {
  test("a connection that breaks again and again goes on where it broke", () => {
    /** @type {number[]} */
    const starts = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!isForFile(request)) return false;
      const start = rangeStart(request);
      starts.push(start);
      return send(request, response, { upTo: start + Math.ceil(bytes.length / 5) + 12345 });
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      assert.ok(starts.length >= 4, `several requests: ${starts}`);
      assert.ok(
        starts.every((start, i) => i === 0 || start > (starts[i - 1] ?? 0)),
        `each further on: ${starts}`,
      );
    });
  });

  test("what had arrived is not asked for again after a reload", () => {
    let broken = true;
    /** @type {number[]} */
    const starts = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!isForFile(request)) return false;
      starts.push(rangeStart(request));
      if (!broken) return send(request, response);
      return rangeStart(request) > 0 ? refuse(response, 404) : send(request, response, { upTo: bytes.length * 0.6 });
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page, url }) => {
      assert.match(await failure(page), /404/);
      broken = false;
      await page.goto(url + BLANK);
      await createTranslator(page);
      await translates(page);
      const last = starts.at(-1) ?? 0;
      assert.ok(last > bytes.length * 0.4, `the last request starts at ${last} of ${bytes.length}`);
    });
  });

  test("a server without Range sends all anew, and it still fits", () => {
    let requests = 0;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!isForFile(request)) return false;
      const upTo = requests++ === 0 ? bytes.length / 2 : Infinity;
      return send(request, response, { ranges: false, upTo });
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      assert.equal(requests, 2);
    });
  });

  for (const status of [404, 403, 500, 503]) {
    test(`status ${status} is an error that says so`, () => {
      const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
        isForFile(request) && refuse(response, status);
      return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
        const message = await failure(page);
        assert.match(message, new RegExp(`${status}`));
        assert.match(message, /try again/i);
        assert.equal(await availability(page), "downloadable");
      });
    });
  }

  test("a server that fails for a moment is asked again", () => {
    let requests = 0;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) && requests++ < 2 && refuse(response, 503);
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      assert.equal(requests, 3);
    });
  });

  test("wrong bytes are never used", () => {
    const wrong = Buffer.from(bytes);
    const at = Math.floor(wrong.length * 0.7);
    wrong[at] = (wrong[at] ?? 0) ^ 0x10;
    let damaged = true;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) && send(request, response, { content: damaged ? wrong : bytes });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      const message = await failure(page);
      assert.match(message, /checksum/);
      assert.equal(await availability(page), "downloadable", "nothing of it is kept");
      damaged = false;
      await createTranslator(page);
      await translates(page);
    });
  });

  test("wrong bytes that came once are fetched anew", () => {
    const wrong = Buffer.from(bytes);
    wrong[1000] = (wrong[1000] ?? 0) ^ 0x10;
    let requests = 0;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) && send(request, response, { content: requests++ === 0 ? wrong : bytes });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      assert.equal(requests, 2);
    });
  });

  test("a short file and a long one are errors that name both sizes", async () => {
    for (const content of [bytes.subarray(0, bytes.length - 1000), Buffer.concat([bytes, Buffer.alloc(10)])]) {
      const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
        isForFile(request) && send(request, response, { content });
      await withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
        const message = await failure(page);
        assert.match(message, new RegExp(`${file.size}`));
        assert.match(message, /try again/i);
      });
    }
  });

  test("a wrong length header is an error, not half a model", () => {
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) &&
      send(request, response, { ranges: false, headers: { "Content-Length": `${bytes.length + 5000}` } });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      // The file is whole all the same: its own size and checksum count, not the header.
      await createTranslator(page);
      await translates(page);
    });
  });

  test("two tabs that load at once download once", () => {
    let requests = 0;
    const intercept = (/** @type {Request} */ request) => {
      if (isForFile(request)) requests++;
      return false;
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page, url }) => {
      const other = await page.browserContext().newPage();
      await other.goto(url + BLANK);
      await Promise.all([createTranslator(page), createTranslator(other)]);
      await Promise.all([translates(page), translates(other)]);
      assert.equal(requests, 1);
    });
  });

  test("without a network from the start it says so", () =>
    withPage({ path: BLANK }, async ({ page, closeServer }) => {
      await page.evaluate(async () => {
        await import(/** @type {any} */ ("/wanderwort.js"));
      });
      await closeServer();
      const message = await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/wanderwort.js"));
        return Translator.create({ sourceLanguage: "en", targetLanguage: "de" }).catch(
          (/** @type {Error} */ error) => `${error.name}: ${error.message}`,
        );
      });
      assert.match(message, /^NetworkError: .*list of models/);
      assert.match(message, /try again/i);
    }));

  test("after the first visit the page works without a network", () =>
    withPage({}, async ({ page, errors, closeServer }) => {
      await page.waitForFunction(() => /works offline/.test(document.querySelector("#engine")?.textContent ?? ""));
      await closeServer();
      await page.reload();
      await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
      await page.type("#source", "Good morning.");
      await page.waitForFunction(() => /Morgen/.test(document.querySelector("#translation")?.textContent ?? ""));
      assert.deepEqual(errors, []);
    }));

  test("a new version is taken at the next load, the old one works on and is then forgotten", () => {
    const settings = model.files.find((f) => f.role === "decoder");
    assert.ok(settings);
    const renewed = Buffer.concat([readFileSync(`${MODELS}/${settings.url}`), Buffer.from("\n")]);
    let updated = false;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!updated) return false;
      if (request.url === `/models/${settings.url}`) return send(request, response, { content: renewed });
      if (request.url !== "/models/index.json") return false;
      const sha256 = createHash("sha256").update(renewed).digest("hex");
      const files = model.files.map((f) => (f === settings ? { ...f, size: renewed.length, sha256 } : f));
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ version: 1, models: [{ ...model, files }] }));
      return true;
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      const kept = () =>
        page.evaluate(async (sha256) => {
          const { ModelStore } = await import(/** @type {any} */ ("/storage.js"));
          return (await ModelStore.open()).has(sha256, 1);
        }, settings.sha256);
      assert.equal(await kept(), true);
      await page.evaluate(() => Object.assign(globalThis, { old: translator }));
      updated = true;
      assert.equal(await availability(page), "downloadable");
      await createTranslator(page);
      await translates(page);
      assert.match(await page.evaluate(() => old.translate("Good morning.")), /Morgen/);
      assert.equal(await availability(page), "available");
      assert.equal(await kept(), false, "the replaced file is gone");
    });
  });

  test("a model that does not fit the browser's storage is used all the same", () =>
    launchWith({ storageKilobytes: 3000 }, (withPage) =>
      withPage({ path: BLANK }, async ({ page, url }) => {
        if (name === "chromium") {
          const session = await page.createCDPSession();
          await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(url).origin, quotaSize: 3_000_000 });
        }
        const info = await createTranslator(page);
        assert.equal(info.stored, false);
        assert.match(info.notStored, /quota|storage|space/i);
        await translates(page);
        assert.equal(await availability(page), "downloadable", "no part is left behind");
      }),
    ));

  test("a malformed model is an error that names the file and place", () => {
    const wrong = Buffer.from(bytes);
    wrong.fill(0xff, 0, 64);
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (isForFile(request)) return send(request, response, { content: wrong });
      if (request.url !== "/models/index.json") return false;
      const sha256 = createHash("sha256").update(wrong).digest("hex");
      const files = model.files.map((f) => (f === file ? { ...f, sha256 } : f));
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ version: 1, models: [{ ...model, files }] }));
      return true;
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      const message = await failure(page);
      assert.match(message, new RegExp(file.url.split("/").at(-1) ?? ""));
      assert.match(message, /byte \d+/);
    });
  });
});
