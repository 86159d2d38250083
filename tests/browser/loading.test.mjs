/**
 * Loading a model from servers that misbehave: never a wrong translation, never half a model, always a message.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BLANK, createTranslator, inEveryBrowser } from "./harness.mjs";
import { sentences, translateNatively } from "./native.mjs";
import { MARIAN_FOLDER } from "./prototype.mjs";
import { packageFolder, packageList, sectionBorders, weightsChecksum } from "./packages.mjs";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

const folder = packageFolder();
const { bytes } = folder;
const sha256 = createHash("sha256").update(bytes).digest("hex");

const WWW = fileURLToPath(new URL("../../www", import.meta.url));

/** The size of the parts in which the browser keeps a file. */
const PART_SIZE = 512 * 1024;

/** @param {Request} request */
const isForFile = (request) => request.url === `/models/${folder.name}`;

/** @param {Request} request @returns {number} the first byte that a request asks for */
const rangeStart = (request) => Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);

/**
 * Answers as a server should, with the file as it is or as given, except for what `headers` changes.
 * @param {Request} request
 * @param {Response} response
 * @param {{content?: Buffer, ranges?: boolean, upTo?: number, pause?: number, headers?: Record<string, string>}} [options] after byte
 *   `upTo` the connection breaks, `pause` milliseconds later
 */
function send(request, response, { content = bytes, ranges = true, upTo = Infinity, pause = 1500, headers = {} } = {}) {
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
    // A browser drops what a page has not read yet when the connection breaks: leave the page time to read it.
    if (end < content.length || headers["Content-Length"]) setTimeout(() => response.socket?.end(), pause);
    else response.end();
  });
  return true;
}

/** @param {Response} response @param {number} status */
function refuse(response, status) {
  response.writeHead(status).end();
  return true;
}

/** @param {Response} response @param {string} list */
function sendList(response, list) {
  response.writeHead(200, { "Content-Type": "application/json" }).end(list);
  return true;
}

/** Ends the current translator, so that the next one is not given what is in memory. @param {import("puppeteer-core").Page} page */
const endTranslator = (page) => page.evaluate(() => translator.destroy());

/**
 * Whether the browser keeps any part of the package.
 * @param {import("puppeteer-core").Page} page
 */
const isKept = (page) =>
  page.evaluate(async (sha256) => {
    const { ModelStore } = await import(/** @type {any} */ ("/library/storage.js"));
    return (await ModelStore.open()).has(sha256, 1);
  }, sha256);

/**
 * The message with which creating a translator in a page fails.
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
    const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    return Translator.availability({ sourceLanguage: "en", targetLanguage: "de" });
  });

inEveryBrowser("loading", (stage) => {
  const { name } = stage;
  /**
   * With a server that offers the package.
   * @type {import("./harness.mjs").WithPage}
   */
  const withPage = (options, action) => stage.withPage(served(options), action);
  /** @param {import("./harness.mjs").PageOptions} options */
  const served = (options) => ({ ...options, server: { models: folder.path, ...options.server } });

  test("a connection that breaks at the end of every section, and within one, goes on where it broke", () => {
    const borders = sectionBorders(join(folder.path, folder.name));
    assert.ok(borders.length > 60 && borders.at(-1) === bytes.length, `${borders} of ${bytes.length}`);
    // The embeddings are the longest section.
    const longest = borders.findIndex((border) => border > bytes.length * 0.3);
    const breaks = borders.toSpliced(longest, 0, (borders[longest] ?? 0) - 100_001);
    /** @type {number[]} */
    const starts = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!isForFile(request)) return false;
      const start = rangeStart(request);
      starts.push(start);
      return send(request, response, { upTo: breaks.find((offset) => offset > start), pause: 150 });
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      // A browser may drop what came last, which is then requested again, up to the same break.
      assert.deepEqual(
        breaks.filter((offset) => offset < bytes.length && !starts.includes(offset)),
        [],
        `every break was gone on from: ${starts}`,
      );
      assert.ok(
        starts.every((start, i) => i === 0 || start >= (starts[i - 1] ?? 0)),
        `never further back: ${starts}`,
      );
    });
  });

  test("while a slow network brings the model the engine warms up, and not for what is kept", async () => {
    let rounds = 0;
    /** @type {(nothing?: undefined) => void} */
    let engineIsComing = () => {};
    const engineComes = new Promise((resolve) => (engineIsComing = resolve));
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      const path = request.url ?? "";
      if (path === "/warmed-up") {
        rounds++;
        response.writeHead(204).end();
        return true;
      }
      if (/^\/pkg\/(relaxed-simd|simd128)(-threads)?\/wanderwort\.js$/.test(path)) {
        const script = readFileSync(join(WWW, path), "utf8");
        const head = "export function warmUp(source, target) {";
        assert.ok(script.includes(head));
        response.writeHead(200, { "Content-Type": "text/javascript" });
        response.end(script.replace(head, `${head} fetch("/warmed-up");`));
        return true;
      }
      if (path.endsWith("_bg.wasm")) engineIsComing();
      if (!isForFile(request)) return false;
      response.writeHead(200, { "Content-Length": bytes.length });
      const piece = Math.ceil(bytes.length / 100);
      const write = (/** @type {number} */ at) => {
        response.write(bytes.subarray(at, at + piece));
        if (at + piece < bytes.length) setTimeout(write, 30, at + piece);
        else response.end();
      };
      engineComes.then(() => write(0));
      return true;
    };
    await withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await translates(page);
      assert.ok(rounds > 0 && rounds <= 16, `${rounds} rounds`);
      await endTranslator(page);
      rounds = 0;
      await createTranslator(page);
      await translates(page);
      assert.equal(rounds, 0);
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
        assert.match(message, new RegExp(`${bytes.length}`));
        assert.match(message, /try again/i);
      });
    }
  });

  test("a wrong length header does no harm", () => {
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) &&
      send(request, response, { ranges: false, headers: { "Content-Length": `${bytes.length + 5000}` } });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      // The file is still whole: its own size and checksum count, not the header.
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
        await import(/** @type {any} */ ("/library/wanderwort.js"));
      });
      await closeServer();
      const message = await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        return Translator.create({ sourceLanguage: "en", targetLanguage: "de" }).catch(
          (/** @type {Error} */ error) => `${error.name}: ${error.message}`,
        );
      });
      assert.match(message, /^UnknownError: .*list of models/);
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
    const renewed = packageFolder("renewed");
    let updated = false;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!updated) return false;
      if (isForFile(request)) return send(request, response, { content: renewed.bytes });
      return request.url === "/models/index.json" && sendList(response, packageList(renewed.name, renewed.bytes));
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      assert.equal(await isKept(page), true);
      await page.evaluate(() => Object.assign(globalThis, { old: translator }));
      updated = true;
      assert.equal(await availability(page), "downloadable");
      await createTranslator(page);
      await translates(page);
      assert.match(await page.evaluate(() => old.translate("Good morning.")), /Morgen/);
      assert.equal(await availability(page), "available");
      // The old file is deleted in the background.
      for (let tries = 0; tries < 100 && (await isKept(page)); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal(await isKept(page), false, "the replaced file is gone");
    });
  });

  test("while a new version cannot be had, the one before is used", () => {
    let updated = false;
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!updated) return false;
      if (isForFile(request)) return refuse(response, 404);
      if (request.url !== "/models/index.json") return false;
      return sendList(response, packageList(folder.name, Buffer.concat([bytes, Buffer.alloc(1)])));
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      const first = await createTranslator(page);
      assert.equal(first.notCurrent, undefined);
      updated = true;
      for (let visit = 0; visit < 2; visit++) {
        await endTranslator(page);
        const info = await createTranslator(page);
        assert.match(info.notCurrent, /404/);
        await translates(page);
      }
      assert.equal(await isKept(page), true);
    });
  });

  test("a model that does not fit the browser's storage is used all the same", () =>
    stage.launchWith({ storageKilobytes: 3000 }, (withPage) =>
      withPage(served({ path: BLANK }), async ({ page, url }) => {
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
      return request.url === "/models/index.json" && sendList(response, packageList(folder.name, wrong));
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      const message = await failure(page);
      assert.match(message, new RegExp(folder.name));
      assert.match(message, /byte 0: not a packaged model/);
    });
  });

  test("a wrong checksum in the list is an error, however whole the file", () => {
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      request.url === "/models/index.json" &&
      sendList(response, packageList(folder.name, bytes).replace(sha256, "0".repeat(64)));
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      assert.match(await failure(page), /checksum differs.*tell the site's owner/);
      assert.equal(await availability(page), "downloadable");
    });
  });

  test("what is damaged on the way is fetched anew from the damaged section on", async () => {
    for (const share of [0.05, 0.5, 0.98]) {
      const wrong = Buffer.from(bytes);
      const at = Math.floor(bytes.length * share);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      /** @type {number[]} */
      const starts = [];
      const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
        isForFile(request) &&
        send(request, response, { content: starts.push(rangeStart(request)) === 1 ? wrong : bytes });
      await withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
        const info = await createTranslator(page);
        await translates(page);
        assert.equal(starts.length, 2);
        const [, again = 0] = starts;
        assert.ok(again <= at && again % PART_SIZE === 0 && again > at - 6 * PART_SIZE, `${at}: ${starts}`);
        assert.equal(info.stored, true);
        // The damaged bytes were stored before they were detected; those in their place are the right ones.
        await endTranslator(page);
        const info2 = await createTranslator(page);
        assert.equal(info2.stored, true);
        assert.equal(starts.length, 2, "nothing is asked for again");
      });
    }
  });

  test("what was damaged in the browser's storage is fetched anew", () => {
    /** @type {number[]} */
    const starts = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
      isForFile(request) && send(request, response, { content: starts.push(rangeStart(request)) ? bytes : bytes });
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      await createTranslator(page);
      await page.evaluate(
        async (sha256, size) => {
          const { ModelStore } = await import(/** @type {any} */ ("/library/storage.js"));
          const store = await ModelStore.open();
          let index = 0;
          for await (const part of store.parts(sha256, size)) {
            if (index === 5) part[1000] ^= 0x40;
            await store.put(sha256, index++, part);
          }
        },
        sha256,
        bytes.length,
      );
      await endTranslator(page);
      await createTranslator(page);
      await translates(page);
      assert.equal(starts.length, 2);
      assert.ok((starts[1] ?? 0) > 0 && (starts[1] ?? 0) <= 5 * PART_SIZE, `${starts}`);
    });
  });

  test("cancelled half way, it goes on from there the next time", () => {
    let slow = true;
    /** @type {number[]} */
    const starts = [];
    const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      if (!isForFile(request)) return false;
      starts.push(rangeStart(request));
      if (!slow) return send(request, response);
      // The second half never arrives.
      response.writeHead(200, { "Content-Length": bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2));
      return true;
    };
    return withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
      const result = await page.evaluate(async () => {
        const { Translator } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const controller = new AbortController();
        const reason = new Error("enough");
        const options = { sourceLanguage: "en", targetLanguage: "de", signal: controller.signal };
        return Translator.create({
          ...options,
          monitor(/** @type {EventTarget} */ monitor) {
            monitor.addEventListener("downloadprogress", (event) => {
              // Late enough for the parts to be stored.
              if (/** @type {ProgressEvent} */ (event).loaded > 0.45) setTimeout(() => controller.abort(reason), 1500);
            });
          },
        }).catch((/** @type {unknown} */ error) => error === reason);
      });
      assert.equal(result, true, "it fails with the signal's own reason");
      slow = false;
      await createTranslator(page);
      await translates(page);
      assert.ok((starts.at(-1) ?? 0) > bytes.length * 0.3, `${starts}`);
    });
  });

  test("two hundred translations and every weight are the native engine's", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      const lines = sentences();
      const path = join(folder.path, folder.name);
      const { variant } = await createTranslator(page);
      const translated = await page.evaluate((text) => translator.translate(text), lines.join("\n"));
      assert.deepEqual(translated.split("\n"), translateNatively(lines, path));
      const checksum = await page.evaluate(
        async (variant, name) => {
          const module = await import(/** @type {any} */ (`/pkg/${variant}/wanderwort.js`));
          await module.default();
          return module.weightsChecksum(new Uint8Array(await (await fetch(`/models/${name}`)).arrayBuffer()));
        },
        variant,
        folder.name,
      );
      assert.equal(checksum, weightsChecksum(path));
    }));

  test("a list may name Marian's files, and another host", () => {
    const names = ["vocab.ende.spm", "lex.50.50.ende.s2t.bin", "model.ende.intgemm.alphas.bin"];
    const contents = new Map(names.map((name) => [`/${name}`, readFileSync(join(MARIAN_FOLDER, name))]));
    const host = (/** @type {Request} */ request, /** @type {Response} */ response) => {
      const content = contents.get(request.url ?? "");
      return (
        content !== undefined && send(request, response, { content, headers: { "Access-Control-Allow-Origin": "*" } })
      );
    };
    return stage.withPage({ path: BLANK, server: { intercept: host } }, async ({ url }) => {
      const files = Array.from(contents, ([path, content]) => ({
        url: url + path.slice(1),
        size: content.length,
        sha256: createHash("sha256").update(content).digest("hex"),
      }));
      const list = JSON.stringify({ version: 1, models: [{ name: "en-de", source: "en", target: "de", files }] });
      const intercept = (/** @type {Request} */ request, /** @type {Response} */ response) =>
        request.url === "/models/index.json" && sendList(response, list);
      await stage.withPage({ path: BLANK, server: { intercept } }, async ({ page }) => {
        await createTranslator(page);
        await translates(page);
      });
    });
  });
});
