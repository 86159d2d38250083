/**
 * The page as the service worker keeps it: builds never mix, and a running tab stays what it is.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildSite, listSite } from "../../www/tools/site.mjs";
import { inEveryBrowser, leaveServiceWorkersAlone } from "./harness.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/** Scripts that one page or the other loads, and both. */
const MARKED = ["site/app.js", "site/documents.js", "site/parts.js", "library/wanderwort.js"];

/** Turns a site's folder into a build of its own. @param {string} folder @param {string} edition */
async function mark(folder, edition) {
  for (const name of MARKED) {
    await appendFile(join(folder, name), `\n(globalThis.editions ??= []).push("${edition}");\n`);
  }
  await appendFile(
    join(folder, "site/parts.js"),
    `new BroadcastChannel("editions").onmessage = ({ data }) => globalThis.editions.push(data);\n`,
  );
  await appendFile(
    join(folder, "worker/worker.js"),
    `new BroadcastChannel("editions").postMessage("worker of the ${edition}");\n`,
  );
  const path = join(folder, "demonstration.html");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("</h1>", ` <span translate="no">${edition}</span></h1>`));
  await writeFile(join(folder, "site.json"), JSON.stringify(await listSite(folder)));
}

/** The builds that a page's scripts and the engine's worker come from. @param {Page} page */
const editions = (page) => page.evaluate(() => [...new Set(/** @type {any} */ (globalThis).editions)].sort().join());

/**
 * Waits until the page's footer says something.
 * @param {Page} page
 * @param {RegExp} pattern
 */
async function foot(page, pattern) {
  const text = () => document.querySelector("#engine")?.textContent ?? "";
  const holds = (/** @type {string} */ source) =>
    new RegExp(source).test(document.querySelector("#engine")?.textContent ?? "");
  await page.waitForFunction(holds, { polling: 100 }, pattern.source).catch(async (error) => {
    const patience = new Promise((resolve) => setTimeout(resolve, 5000, "nothing, for the page does not answer"));
    throw new Error(`the foot never said ${pattern} but ${await Promise.race([page.evaluate(text), patience])}`, {
      cause: error,
    });
  });
}

/** The demonstration's heading once all of it is translated. @param {Page} page */
async function demonstrate(page) {
  await page.click("#demonstration");
  await page.waitForFunction(() => /passages translated/.test(document.querySelector("#status")?.textContent ?? ""));
  return page.$eval(
    "#document",
    (frame) => /** @type {HTMLIFrameElement} */ (frame).contentDocument?.querySelector("h1")?.textContent ?? "",
  );
}

/** @type {string} */
let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "wanderwort-"));
  for (const edition of ["first", "second"]) {
    await buildSite(join(folder, edition));
    await mark(join(folder, edition), edition);
  }
});
after(() => rm(folder, { recursive: true }));

inEveryBrowser("offline", ({ name, withPage }) => {
  test("a newer build comes as a whole, and not under a running tab", async () => {
    const site = join(folder, "served");
    const publish = async (/** @type {string} */ edition) => {
      await rm(site, { force: true });
      await symlink(edition, site);
    };
    await publish("first");
    // A host that replaces its files one by one.
    let half = false;
    /** @type {import("../../www/tools/serve.mjs").ServeOptions} */
    const server = {
      site,
      models: join(site, "models"),
      intercept: (request, response) => {
        // As some hosts do.
        if (request.url === "/documents.html") {
          response.writeHead(301, { Location: "/documents" }).end();
          return true;
        }
        if (request.url === "/documents") {
          response.writeHead(200, { "Content-Type": "text/html" });
          response.end(readFileSync(join(site, "documents.html")));
          return true;
        }
        if (!half || request.url !== "/site/documents.js") return false;
        response.writeHead(200, { "Content-Type": "text/javascript" }).end('throw new Error("half-way");\n');
        return true;
      },
    };
    await withPage({ server }, async ({ page, url, errors, closeServer }) => {
      await foot(page, /works offline/);
      const running = await page.browserContext().newPage();
      if (name === "chromium") await leaveServiceWorkersAlone(running);
      await running.goto(`${url}documents.html`);

      await publish("second");
      half = true;
      await page.bringToFront();
      await page.reload();
      await foot(page, /works offline/);
      assert.equal(await editions(page), "first,worker of the first", "a build that is not whole is none");
      assert.doesNotMatch(await page.$eval("#engine", (foot) => foot.textContent ?? ""), /newer/);

      half = false;
      await page.reload();
      await foot(page, /newer version/);
      assert.equal(await editions(page), "first,worker of the first", "another tab still runs the build before");
      // What is loaded only now, including the engine's worker, comes from the tab's own build.
      await running.bringToFront();
      await running.reload();
      assert.match(await demonstrate(running), /first/);
      assert.equal(await editions(running), "first,worker of the first");
      await running.close();

      const beside = await page.browserContext().newPage();
      if (name === "chromium") await leaveServiceWorkersAlone(beside);
      await beside.goto(url);
      await foot(beside, /newer version/);
      assert.equal(await editions(beside), "first,worker of the first", "the first page is still open");
      await beside.close();

      await page.bringToFront();
      await page.reload();
      await foot(page, /works offline$/);
      assert.equal(await editions(page), "second,worker of the second");
      await closeServer();
      await page.goto(`${url}documents.html`);
      assert.match(await demonstrate(page), /second/);
      assert.equal(
        await editions(page),
        "second,worker of the second",
        "the page that was not opened since came with the rest",
      );
      const refusal = await page.evaluate(async () => {
        const { convertModel } = await import(/** @type {any} */ ("/library/wanderwort.js"));
        const files = [new File(["Not a model."], "model.bin")];
        return convertModel(files, { sourceLanguage: "en", targetLanguage: "de" }).catch(String);
      });
      assert.match(refusal, /^OperationError/, "the module that makes packages is here too");
      assert.deepEqual(errors, []);
      const builds = await page.evaluate(async () =>
        (await caches.keys()).filter((name) => name.startsWith("wanderwort-page-")),
      );
      assert.equal(builds.length, 1, "the build before is forgotten");
    });
  });
});
