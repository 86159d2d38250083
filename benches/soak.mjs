/**
 * A page that changes every 50 ms, translated for a long time: `node benches/soak.mjs [--minutes 30] [--browsers chromium,firefox]`.
 *
 * Paragraphs of the page, of a shadow tree and of a frame are added, taken away, moved, copied, lengthened and written again (`restless.js`).
 * After each tenth of the time the page rests, and no paragraph may be untranslated then; the reader goes to another page and back, which the
 * browser must do from its cache. At the end, `restore()` must restore what the page itself wrote, node for node. Memory is the proportional
 * set size of all of the browser's processes (Linux), and what the page's objects take if the browser tells it; neither may grow by more
 * than a quarter in the second half, when the caches are full.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { json } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { BROWSERS, TIMEOUT_MS, openAlone } from "../tests/browser/browsers.mjs";
import { serve } from "../www/tools/serve.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    browsers: { type: "string", default: BROWSERS.join() },
  },
});

const PARTS = 10;

/** At the end, memory may be this many times what it was in the middle. */
const MOST_GROWTH = 1.25;

const RESTLESS = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page that never rests</title><main></main>
  <script type="module" src="/restless.js"></script>`;
/** Gives the cache a moment to take the page that was left. */
const ELSEWHERE = "<!doctype html><title>Elsewhere</title><script>setTimeout(() => history.back(), 1000)</script>";

/**
 * Megabytes that all processes of a group take.
 * @param {number} group
 */
function groupMegabytes(group) {
  let sum = 0;
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      // The fields after the name in parentheses: state, parent, group.
      const fields = readFileSync(`/proc/${process}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      if (Number(fields[2]) !== group) continue;
      const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, "utf8"));
      sum += (Number(pss?.[1] ?? 0) * 1024) / 1e6;
    } catch {
      // It has ended meanwhile.
    }
  }
  return sum;
}

/**
 * @param {string} what
 * @param {number[]} megabytes at each part
 */
function isFlat(what, megabytes) {
  const middle = megabytes[PARTS / 2 - 1] ?? 0;
  const last = megabytes[megabytes.length - 1] ?? 0;
  assert.ok(last <= MOST_GROWTH * middle, `${what} grew from ${middle} to ${last} MB`);
  return `${what} in MB: ${megabytes.map((each) => each.toFixed(1)).join(" ")}`;
}

/** @param {import("../tests/browser/browsers.mjs").BrowserName} name */
async function soak(name) {
  const seconds = (Number(values.minutes) * 60) / PARTS;
  /** @type {any[]} */
  const told = [];
  let starts = 0;
  /** @type {() => void} */
  let heard = () => {};
  const server = await serve({
    intercept: async (request, response) => {
      const path = request.url?.replace(/\?.*/, "");
      if (path === "/told") {
        told.push(await json(request));
        response.end();
        heard();
      } else if (path === "/restless.html") {
        starts++;
        response.writeHead(200, { "Content-Type": "text/html" }).end(RESTLESS);
      } else if (path === "/elsewhere.html") {
        response.writeHead(200, { "Content-Type": "text/html" }).end(ELSEWHERE);
      } else if (path === "/restless.js") {
        const script = readFileSync(new URL("restless.js", import.meta.url));
        response.writeHead(200, { "Content-Type": "text/javascript" }).end(script);
      } else return false;
      return true;
    },
  });
  const { group, close } = await openAlone(name, `${server.url}restless.html?parts=${PARTS}&seconds=${seconds}`);
  try {
    /** @type {number[]} */
    const processes = [];
    let changes = 0;
    /** @type {number[]} */
    const objects = [];
    for (let part = 0; part <= PARTS; part++) {
      const patience = seconds * 1000 + 2 * TIMEOUT_MS;
      while (told.length === 0) {
        await new Promise((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`${name}: nothing heard for ${patience} ms`)), patience);
          heard = () => (clearTimeout(timer), resolve(undefined));
        });
      }
      const { kind, left = [], wrong = [], troubles, bytes = 0, ...more } = told.shift();
      assert.equal(kind, part === PARTS ? "end" : "rest");
      assert.deepEqual(troubles, []);
      assert.deepEqual(left, [], "all is translated while the page rests");
      assert.deepEqual(wrong, [], "the page is as it wrote itself");
      assert.equal(starts, 1, "the reader comes back to the page that was left, not to a new one");
      if (part === PARTS) break;
      ({ changes } = more);
      processes.push(groupMegabytes(group));
      if (bytes > 0) objects.push(bytes / 1e6);
    }
    console.log(`${name}: ${values.minutes} minutes, ${changes} changes, ${PARTS} times back`);
    console.log(`  ${isFlat("its processes", processes)}`);
    if (objects.length > 0) console.log(`  ${isFlat("the page's objects", objects)}`);
  } finally {
    await close();
    await server.close();
  }
}

for (const name of BROWSERS) if (values.browsers.split(",").includes(name)) await soak(name);
