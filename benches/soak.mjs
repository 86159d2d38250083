/**
 * A page that changes every 50 ms, translated for a long time: `node benches/soak.mjs [--minutes 30] [--browsers chromium,firefox]`.
 *
 * Paragraphs are added, taken away, cloned, lengthened, moved and written again; now and then the reader goes to another page and back, in
 * Chromium. At the end the page comes to rest. Then no paragraph in view may be untranslated, and `restore()` must give
 * back what the page itself wrote, paragraph by paragraph. Memory is what the page's heap takes, in Chromium after a collection, at each tenth
 * of the time; it may not grow by more than a quarter in the second half, when the caches are full.
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { BROWSERS, TIMEOUT_MS, launch } from "../tests/browser/browsers.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    browsers: { type: "string", default: BROWSERS.join() },
  },
});

const TENTHS = 10;

/** The heap may be so much larger at the end than in the middle. */
const MOST_GROWTH = 1.25;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page that never rests</title><main></main><script>
  const things = "house garden river street school market winter summer letter window".split(" ");
  const main = document.querySelector("main");
  let count = 0;
  // What the page itself has written into each paragraph.
  const own = new WeakMap();
  const sentence = () => "The " + things[count % 10] + " and the " + things[Math.floor(count / 10) % 10] + " are " + (count++ % 977) + " years old.";
  const paragraph = () => {
    const made = document.createElement("p");
    const text = sentence();
    if (count % 3 === 0) {
      const [first, ...rest] = text.split(" and ");
      made.innerHTML = "<b>" + first + "</b> and " + rest.join(" and ");
    } else made.textContent = text;
    own.set(made, text);
    return made;
  };
  const any = () => main.children[Math.floor(Math.random() * main.children.length)];
  const changes = [
    () => main.append(paragraph()),
    () => main.prepend(paragraph()),
    () => any()?.remove(),
    () => { const p = any(); if (p) main.append(p); },
    () => { const p = any(); const copy = p?.cloneNode(true); if (copy) { own.set(copy, own.get(p)); main.append(copy); } },
    () => { const p = any(); if (p) { const more = " " + sentence(); p.append(more); own.set(p, own.get(p) + more); } },
    () => { const p = any(); if (p) { const text = sentence(); p.textContent = text; own.set(p, text); } },
    () => { const p = any(); if (p) p.title = sentence(); },
  ];
  let timer;
  globalThis.start = () => {
    timer = setInterval(() => {
      changes[Math.floor(Math.random() * changes.length)]();
      while (main.children.length > 60) main.firstElementChild.remove();
    }, 50);
  };
  globalThis.stop = () => clearInterval(timer);
  globalThis.untranslated = () => [...main.children].filter((p) => / and the | years old/.test(p.textContent)).map((p) => p.textContent);
  globalThis.wrong = () => [...main.children].filter((p) => p.textContent !== own.get(p)).map((p) => [p.outerHTML, own.get(p)]);
  for (let i = 0; i < 30; i++) main.append(paragraph());
  start();
</script>`;

const server = await serve({
  intercept: (request, response) => {
    if (request.url !== "/restless.html" && request.url !== "/elsewhere.html") return false;
    const html = request.url === "/restless.html" ? PAGE : "<!doctype html><title>Elsewhere</title><p>Elsewhere</p>";
    response.writeHead(200, { "Content-Type": "text/html" }).end(html);
    return true;
  },
});

/** @param {import("puppeteer-core").Page} page */
const translate = (page) =>
  page.evaluate(async () => {
    const { translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    const live = await translatePage({ sourceLanguage: "en", targetLanguage: "de" });
    /** @type {string[]} */
    const troubles = [];
    live.addEventListener("error", (/** @type {{message: string}} */ event) => troubles.push(event.message));
    Object.assign(globalThis, { live, troubles });
  });

/** @param {import("./../tests/browser/browsers.mjs").BrowserName} name */
async function soak(name) {
  const browser = await launch(name);
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.goto(`${server.url}restless.html`);
    await translate(page);
    /** @type {number[]} */
    const heaps = [];
    const tenth = (Number(values.minutes) * 60_000) / TENTHS;
    for (let i = 0; i < TENTHS; i++) {
      await new Promise((resolve) => setTimeout(resolve, tenth));
      // Firefox's driver loses a page that comes back from the browser's cache.
      if (name !== "chromium") continue;
      await page.goto(`${server.url}elsewhere.html`);
      await page.goBack();
      const isThere = await page.evaluate(() => "live" in globalThis);
      if (!isThere) await translate(page);
      const session = await page.createCDPSession();
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      await session.detach();
      heaps.push(usedSize / 1e6);
    }
    const left = await page.evaluate(async () => {
      const { live, stop, untranslated } = /** @type {any} */ (globalThis);
      stop();
      // Restless nodes are looked at after two seconds at the latest.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await live.complete;
      return untranslated();
    });
    assert.deepEqual(left, [], "all is translated once the page rests");
    const wrong = await page.evaluate(() => {
      const { live, wrong } = /** @type {any} */ (globalThis);
      live.restore();
      return wrong();
    });
    assert.deepEqual(wrong, [], "the page is as it wrote itself");
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).troubles), []);
    console.log(
      `${name}: ${values.minutes} minutes${heaps.length > 0 ? `, heap in MB: ${heaps.map((heap) => heap.toFixed(1)).join(" ")}` : ""}`,
    );
    const middle = heaps[TENTHS / 2 - 1] ?? 0;
    const last = heaps[heaps.length - 1] ?? 0;
    assert.ok(last <= MOST_GROWTH * middle, `the heap grew from ${middle} to ${last} MB`);
  } finally {
    await browser.close();
  }
}

try {
  for (const name of BROWSERS) if (values.browsers.split(",").includes(name)) await soak(name);
} finally {
  await server.close();
}
