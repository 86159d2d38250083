/**
 * What the tests of live pages share: the fixture pages, and what must hold for every page before, during and after its translation.
 */
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** @typedef {import("puppeteer-core").Page} Page */
/** @typedef {import("./harness.mjs").PageOptions} PageOptions */

const FIXTURES = new URL("./fixtures/", import.meta.url);

/** Pictures of pages before and after, for people; those in the README are copies. */
const PICTURES = fileURLToPath(new URL("../../target/screenshots/", import.meta.url));

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".xhtml": "application/xhtml+xml",
};

/** Applications, bundled with their framework once. @type {Map<string, Promise<string>>} */
const bundles = new Map();

/** @param {string} path */
async function bundle(path) {
  const build = await rolldown({
    input: path,
    platform: "browser",
    logLevel: "silent",
    transform: {
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
    },
  });
  const { output } = await build.generate({ format: "esm" });
  return output[0].code;
}

/**
 * A page of the fixtures, to be opened with the harness.
 * @param {string} name
 * @param {{headers?: Record<string, string>, pages?: Record<string, string>, server?: PageOptions["server"]}} [options]
 * @returns {PageOptions}
 */
export function fixture(name, { headers = {}, pages = {}, server = {} } = {}) {
  return {
    path: `fixtures/${name}`,
    server: {
      ...server,
      intercept: async (request, response) => {
        if (await server.intercept?.(request, response)) return true;
        const path = /^\/fixtures\/([\w.-]+)$/.exec((request.url ?? "").split("?")[0] ?? "")?.[1];
        if (!path) return false;
        const file = new URL(path, FIXTURES);
        /** @type {string} */
        let body;
        try {
          if (pages[path] !== undefined) body = pages[path];
          else if (path.endsWith(".js")) {
            const known = bundles.get(path) ?? bundle(fileURLToPath(file));
            bundles.set(path, known);
            body = await known;
          } else body = await readFile(file, "utf8");
        } catch (error) {
          response.writeHead(404).end(String(error));
          return true;
        }
        response
          .writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/plain", ...(path === name ? headers : {}) })
          .end(body);
        return true;
      },
    },
  };
}

/**
 * Records every node of the page, of open shadow trees and of frames, and how each is to be treated, by rules of its
 * own: what is excluded is found with selectors.
 * @param {Page} page
 */
export async function takeStock(page) {
  await page.evaluate(() => {
    const EXCLUDED =
      "code, pre, kbd, samp, var, tt, script, style, noscript, template, math, textarea, [contenteditable=true], .notranslate";
    /** @param {Node} root @param {boolean} open @param {any[]} list */
    function walk(root, open, list) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ALL);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element =
          node instanceof Element || node.nodeType === 1 ? /** @type {Element} */ (node) : node.parentElement;
        const switcher = element?.closest("[translate]");
        const speaker = element?.closest("[lang]:not(html)");
        const left =
          !open ||
          element?.closest(EXCLUDED) !== null ||
          switcher?.getAttribute("translate") === "no" ||
          (speaker !== null && speaker !== undefined && !/^en\b/.test(speaker.getAttribute("lang") ?? ""));
        const text = node.nodeType === 3 ? /** @type {Text} */ (node).data : "";
        /** @type {[string, string][]} */
        const attributes = [];
        if (node.nodeType === 1) {
          const names = Element.prototype.getAttributeNames.call(node);
          for (const name of names) {
            attributes.push([
              name,
              Object.getOwnPropertyDescriptor(Attr.prototype, "value")?.get?.call(
                Element.prototype.getAttributeNode.call(node, name),
              ) ?? "",
            ]);
          }
        }
        const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")?.get?.call(node);
        list.push({ node, parent, text, attributes, left });
        if (node.nodeType !== 1) continue;
        const shadow = /** @type {Element} */ (node).shadowRoot;
        if (shadow) walk(shadow, !left, list);
        if (node.nodeName === "IFRAME") {
          const inner = /** @type {HTMLIFrameElement} */ (node).contentDocument;
          if (inner) walk(inner, !left, list);
        }
      }
    }
    /** @type {any[]} */
    const stock = [];
    walk(document, true, stock);
    /** @type {any[]} */
    const faults = [];
    addEventListener("error", (event) => faults.push(String(event.error)));
    addEventListener("unhandledrejection", (event) => faults.push(String(event.reason)));
    Object.assign(globalThis, {
      stock,
      takeWalk: () => (walk(document, true, (globalThis.again = [])), globalThis.again),
      faults,
    });
  });
}

/**
 * Translates the page as an application would.
 * @param {Page} page
 * @param {object} [options]
 * @returns {Promise<{visible: number, complete: number, translated: number}>} when, in milliseconds
 */
export async function translate(page, options = {}) {
  return page.evaluate(async (options) => {
    const { Translator, translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "de", ...options });
    await translator.translate("The engine is warm now.");
    const start = performance.now();
    const live = await translatePage({ translator, ...options });
    let visible = 0;
    /** @type {string[]} */
    const troubles = [];
    live.addEventListener("visible", () => (visible ||= performance.now() - start));
    live.addEventListener("error", (/** @type {ErrorEvent} */ event) =>
      troubles.push(`${event.message} ${event.error?.stack}`),
    );
    Object.assign(globalThis, { live, troubles });
    await live.complete;
    return { visible, complete: performance.now() - start, translated: live.progress.translated };
  }, options);
}

/**
 * What must hold for a translated page: its elements are the same, nothing that has to be translated is untranslated, and nothing that
 * must not be is translated.
 * @param {Page} page
 */
export async function checkTranslated(page) {
  const result = await page.evaluate(() => {
    /** @type {string[]} */
    const problems = [];
    /** @type {Map<Element, {before: string, after: string}>} */
    const blocks = new Map();
    const shown = (/** @type {string} */ text) => JSON.stringify(text.trim().slice(0, 80));
    for (const { node, parent, text, attributes, left } of globalThis.stock) {
      const parentNow = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode")?.get?.call(node);
      if (node.nodeType !== 9 && parentNow !== parent)
        problems.push(`${node.nodeName} ${shown(text)} has another parent`);
      if (node.nodeType === 3 && left && node.data !== text)
        problems.push(`must stay: ${shown(text)} is ${shown(node.data)}`);
      if (node.nodeType === 1 && left) {
        for (const [name, value] of attributes) {
          if (name === "lang" || name === "dir" || /^(iframe|textarea)$/.test(node.localName)) continue;
          if (node.getAttribute(name) !== value) problems.push(`must stay: ${name}=${shown(value)}`);
        }
      }
      if (node.nodeType === 1 && !left) {
        for (const [name, value] of attributes) {
          if (!/^(title|alt|placeholder|aria-label)$/.test(name) || (value.match(/\p{L}+/gu) ?? []).length < 3)
            continue;
          if (Element.prototype.getAttribute.call(node, name) === value)
            problems.push(`untranslated ${name}=${shown(value)}`);
        }
      }
      if (node.nodeType !== 3 || left || !node.parentElement) continue;
      let block = node.parentElement;
      while (
        block.parentElement &&
        /^(inline|contents)$/.test(block.ownerDocument.defaultView.getComputedStyle(block).display)
      )
        block = block.parentElement;
      const entry = blocks.get(block) ?? { before: "", after: "" };
      entry.before += text;
      entry.after += node.data;
      blocks.set(block, entry);
    }
    for (const { before, after } of blocks.values()) {
      if (!/\p{Script=Latin}/u.test(before) || (before.match(/\p{L}{2,}/gu) ?? []).length < 4) continue;
      if (before.replace(/\s+/g, " ").trim() === after.replace(/\s+/g, " ").trim())
        problems.push(`untranslated: ${shown(before)}`);
    }
    return { problems, faults: globalThis.faults, troubles: globalThis.troubles, blocks: blocks.size };
  });
  assert.deepEqual(result.problems, []);
  assert.deepEqual(result.troubles, [], "nothing went wrong inside");
  assert.deepEqual(result.faults, [], "nothing was thrown into the page");
  return result.blocks;
}

/**
 * Puts the page back and compares it node for node.
 * @param {Page} page
 */
export async function checkRestored(page) {
  const problems = await page.evaluate(() => {
    globalThis.live.restore();
    /** @type {string[]} */
    const problems = [];
    const [before, after] = [globalThis.stock, globalThis.takeWalk()];
    if (before.length !== after.length) problems.push(`${before.length} nodes before, ${after.length} after`);
    for (let i = 0; i < Math.min(before.length, after.length) && problems.length < 5; i++) {
      const [a, b] = [before[i], after[i]];
      if (a.node !== b.node) problems.push(`node ${i}: ${a.node.nodeName} ${a.text} was ${b.node.nodeName} ${b.text}`);
      else if (a.text !== b.text) problems.push(`text ${i}: ${a.text} is ${b.text}`);
      else if (JSON.stringify(a.attributes) !== JSON.stringify(b.attributes)) {
        problems.push(
          `attributes of ${a.node.nodeName}: ${JSON.stringify(a.attributes)} are ${JSON.stringify(b.attributes)}`,
        );
      }
    }
    return problems;
  });
  assert.deepEqual(problems, []);
}

/**
 * @param {Page} page
 * @param {string} name
 */
export async function picture(page, name) {
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: /** @type {`${string}.png`} */ (`${PICTURES}${name}.png`) });
}
