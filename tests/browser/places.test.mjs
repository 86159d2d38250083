/**
 * The library wherever scripts run in a browser: workers, service workers, classic scripts, files on another host.
 */
import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { serve } from "../../www/tools/serve.mjs";
import { TIMEOUT_MS, openAlone } from "./browsers.mjs";
import { BLANK, inEveryBrowser } from "./harness.mjs";

/** @typedef {import("../../www/tools/serve.mjs").ServeOptions["intercept"]} Intercept */

/**
 * Serves scripts beside the library.
 * @param {Record<string, string>} scripts by path
 * @returns {{intercept: Intercept}}
 */
const withScripts = (scripts) => ({
  intercept: (request, response) => {
    const script = scripts[request.url ?? ""];
    if (script === undefined) return false;
    response.writeHead(200, { "Content-Type": "text/javascript" }).end(script);
    return true;
  },
});

/** What a worker is asked to do: everything that the library does outside a page. */
const IN_WORKER = `
  import { LanguageDetector, Translator, translatePage } from "/library/wanderwort.js";
  const answer = async () => {
    const pair = { sourceLanguage: "en", targetLanguage: "de" };
    const translator = await Translator.create(pair);
    const text = await translator.translate("Good morning.");
    translator.destroy();
    const detector = await LanguageDetector.create();
    const results = await Promise.all([text, "La maison est grande."].map((each) => detector.detect(each)));
    const languages = results.map(([best]) => best.detectedLanguage);
    detector.destroy();
    const again = await LanguageDetector.create();
    const pending = again.detect(text).catch((error) => error.name);
    again.destroy();
    languages.push(await pending, await LanguageDetector.availability());
    const page = await translatePage(pair).catch((error) => error.name);
    return [text, translator.info.stored, await Translator.availability(pair), page, languages];
  };
  answer().then(postMessage, (error) => postMessage([String(error)]));
`;

const IN_SERVICE_WORKER = `
  import { Translator } from "/library/wanderwort.js";
  addEventListener("install", () => skipWaiting());
  addEventListener("message", async ({ ports: [port] }) => {
    const pair = { sourceLanguage: "en", targetLanguage: "de" };
    const same = await Translator.create({ sourceLanguage: "en", targetLanguage: "en-GB" });
    const create = await Translator.create(pair).catch((error) => error.name + ": " + error.message);
    port.postMessage([await Translator.availability(pair), await same.translate("Hello"), create]);
  });
`;

inEveryBrowser("places", ({ name, withPage }) => {
  // Not driven: a driver that observes workers can make Firefox wait forever for a worker that starts another one.
  test("a worker translates", async () => {
    /** @type {(seen: any) => void} */
    let tell = () => {};
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const answer = new Promise((resolve, reject) => {
      tell = resolve;
      timer = setTimeout(() => reject(new Error("The page has not answered.")), TIMEOUT_MS);
    });
    const page = `<!doctype html><title>A worker</title><script>
      const tell = (seen) => fetch("/seen", { method: "POST", body: JSON.stringify(seen) });
      const worker = new Worker("/in-worker.js", { type: "module" });
      worker.onmessage = ({ data }) => tell(data);
      worker.onerror = ({ message }) => tell([message]);
    </script>`;
    const { intercept } = withScripts({ "/in-worker.js": IN_WORKER });
    const server = await serve({
      intercept: async (request, response) => {
        if (request.url === "/alone.html") {
          response.writeHead(200, { "Content-Type": "text/html" }).end(page);
        } else if (request.url === "/seen") {
          tell(await json(request));
          response.end();
        } else {
          return intercept?.(request, response) ?? false;
        }
        return true;
      },
    });
    const { close } = await openAlone(name, `${server.url}alone.html`);
    try {
      const seen = await answer;
      assert.match(seen[0], /Morgen/);
      const languages = ["de", "fr", "AbortError", "available"];
      assert.deepEqual(seen.slice(1), [true, "available", "NotSupportedError", languages]);
    } finally {
      clearTimeout(timer);
      await close();
      await server.close();
    }
  });

  test("a worker that could not load what tells languages can try again", () => {
    let fails = true;
    // Firefox must then use a worker for it. What that worker does does not matter here, and it could not be relied on.
    const script = `
      import { LanguageDetector } from "/library/wanderwort.js";
      globalThis.Worker = class {
        constructor() {
          setTimeout(() => this.onmessage({ data: { ready: true } }));
        }
        postMessage({ id }) {
          setTimeout(() => this.onmessage({ data: { id, results: [{ detectedLanguage: "de", confidence: 1 }] } }));
        }
        terminate() {}
      };
      onmessage = async () => {
        try {
          const detector = await LanguageDetector.create();
          postMessage((await detector.detect("Das Haus ist groß."))[0].detectedLanguage);
        } catch (error) {
          postMessage(error.name + ": " + error.message);
        }
      };`;
    const { intercept } = withScripts({ "/trying.js": script });
    /** @type {Intercept} */
    const failing = (request, response) => {
      if (!fails || !/^\/(pkg\/language-detector|worker\/language-worker)/.test(request.url ?? "")) {
        return intercept?.(request, response) ?? false;
      }
      response.writeHead(503).end();
      return true;
    };
    return withPage({ path: BLANK, server: { intercept: failing } }, async ({ page }) => {
      await page.evaluate(() => {
        const worker = new Worker("/trying.js", { type: "module" });
        const ask = () =>
          new Promise((resolve) => {
            worker.onmessage = ({ data }) => resolve(data);
            worker.postMessage(null);
          });
        Object.assign(globalThis, { ask });
      });
      const ask = () => page.evaluate(() => /** @type {any} */ (globalThis).ask());
      assert.match(await ask(), /^NetworkError: .*language-worker\.js, could not be loaded/);
      fails = false;
      assert.equal(await ask(), "de");
    });
  });

  test("a service worker may import it, and is told what to import for an engine", () =>
    withPage({ path: BLANK, server: withScripts({ "/in-service.js": IN_SERVICE_WORKER }) }, async ({ page }) => {
      const seen = await page.evaluate(async () => {
        try {
          await navigator.serviceWorker.register("/in-service.js", { type: "module" });
        } catch (error) {
          return String(error);
        }
        const { active } = await navigator.serviceWorker.ready;
        return new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => resolve(data);
          active?.postMessage(null, [port2]);
        });
      });
      // Older versions of Firefox have no modules in service workers.
      if (typeof seen === "string") return assert.match(seen, /module|TypeError/);
      assert.deepEqual(seen.slice(0, 2), ["downloadable", "Hello"]);
      assert.match(seen[2], /^NotSupportedError: .*service-worker\.js/);
    }));

  test("a service worker translates, and says what cannot be done there", () => {
    const script = `
      import { LanguageDetector, Translator, translatePage } from "/library/service-worker.js";
      const pair = { sourceLanguage: "en", targetLanguage: "de" };
      const name = (promise) => promise.then(() => "fulfilled", (error) => error.name);
      async function answer() {
        const first = await Translator.create({ ...pair, threads: 4 });
        const second = await Translator.create(pair);
        const long = "This sentence is one of very many that nobody will wait for. ".repeat(500);
        const pending = name(first.translate(long));
        const controller = new AbortController();
        const cancelled = name(second.translate(long, { signal: controller.signal }));
        setTimeout(() => {
          first.destroy();
          controller.abort();
        }, 50);
        const file = new File(["<p>The house is <b>big</b>."], "a.html");
        const document = await (await second.translateDocument(file)).text();
        const seen = {
          text: await second.translate("The house is big."),
          document,
          pending: await pending,
          cancelled: await cancelled,
          threads: [first.info.threads, second.info.threads],
          detector: await name(LanguageDetector.create()),
          page: await name(translatePage({ translator: second })),
          aborted: await name(Translator.create({ ...pair, signal: AbortSignal.timeout(1) })),
        };
        second.destroy();
        const third = await Translator.create(pair);
        seen.third = await third.translate("Good morning.");
        third.destroy();
        return seen;
      }
      addEventListener("message", ({ ports: [port] }) => {
        answer().then((seen) => port.postMessage(seen), (error) => port.postMessage({ error: String(error) }));
      });`;
    return withPage({ path: BLANK, server: withScripts({ "/translating.js": script }) }, async ({ page, errors }) => {
      const seen = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.register("/translating.js", {
          type: "module",
          scope: "/none/",
        });
        const worker = registration.installing ?? registration.waiting ?? registration.active;
        const { port1, port2 } = new MessageChannel();
        const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
        worker?.postMessage(null, [port2]);
        const seen = await answer;
        await registration.unregister();
        return seen;
      });
      assert.deepEqual(seen, {
        text: "Das Haus ist groß.",
        document: "<p>Das Haus ist <b>groß</b>.",
        pending: "AbortError",
        cancelled: "AbortError",
        threads: [1, 1],
        detector: "NotSupportedError",
        page: "NotSupportedError",
        aborted: "TimeoutError",
        third: "Guten Morgen.",
      });
      assert.deepEqual(errors, []);
    });
  });

  test("a classic script imports it, and says so if it is taken for one itself", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      const message = await page.evaluate(
        () =>
          new Promise((resolve) => {
            addEventListener("error", (event) => resolve(event.message), { once: true });
            const script = document.createElement("script");
            script.src = "/library/wanderwort.js";
            document.head.append(script);
          }),
      );
      assert.match(message, /import/);
      const text = await page.evaluate(
        () =>
          new Promise((resolve) => {
            Object.assign(globalThis, { resolveText: resolve });
            const script = document.createElement("script");
            script.textContent = `import("/library/wanderwort.js").then(async ({ Translator }) => {
              const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de" });
              resolveText(await translator.translate("Good morning."));
            });`;
            document.head.append(script);
          }),
      );
      assert.match(text, /Morgen/);
    }));

  test("files on another host are used if it allows that, and otherwise the error says what it has to allow", async () => {
    /** What the other host does not let others read. @type {RegExp} */
    let closed = /^$/;
    const other = await serve({
      isolated: false,
      intercept: (request, response) => {
        if (closed.test(request.url ?? "")) return false;
        response.setHeader("Access-Control-Allow-Origin", "*");
        response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
        return false;
      },
    });
    const create = (/** @type {import("puppeteer-core").Page} */ page) =>
      page.evaluate(async (library) => {
        const { Translator } = await import(library);
        try {
          const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de" });
          return [await translator.translate("Good morning."), translator.info.threads];
        } catch (error) {
          const { name, message } = /** @type {Error} */ (error);
          return [`${name}: ${message}`];
        }
      }, `${other.url}library/wanderwort.js`);
    try {
      await withPage({ path: BLANK }, async ({ page, errors }) => {
        const [text, threads] = await create(page);
        assert.match(text, /Morgen/);
        assert.ok(threads > 1, "with threads");
        assert.deepEqual(errors, []);
      });
      closed = /^\/worker\/worker\.js/;
      await withPage({ path: BLANK }, async ({ page }) => {
        const [error] = await create(page);
        assert.match(error, /^OperationError: .*worker\.js.*\(CORS\)/);
      });
      closed = /^\/pkg\//;
      await withPage({ path: BLANK }, async ({ page }) => {
        assert.match((await create(page))[0], /^NetworkError: .*engine could not be loaded/);
      });
      closed = /^\/models\/.*\.wanderwort/;
      await withPage({ path: BLANK }, async ({ page }) => {
        assert.match((await create(page))[0], /^NetworkError: .*Could not download .*\.wanderwort/);
      });
    } finally {
      await other.close();
    }
  });
});
