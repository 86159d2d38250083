/**
 * A service worker that keeps the page itself, so that it opens without a network. The models are not its business:
 * `storage.js` keeps those.
 *
 * Each build of the page has a worker of its own, told apart by the address it is registered under (`offline.js?build=…`), and each worker a
 * cache of its own, filled as a whole and checked against the site's list (`site.mjs`). A page and everything it loads later come from one
 * cache. As is usual in browsers, a newer build's worker waits until no page of the previous one is open, so nothing changes under a running tab.
 */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** The list that `site.mjs` makes. @typedef {{build: string, files: Record<string, string>}} Site */

const CACHES = "wanderwort-page-";
const BUILD = new URL(worker.location.href).searchParams.get("build") ?? "";
const CACHE_NAME = CACHES + BUILD;

const LIST = "site.json";

/** Where the page lies, with a slash at its end. */
const base = new URL("./", worker.location.href).href;

/** The WebAssembly module that a file belongs to; a browser needs one of them. @param {string} path */
const variantOf = (path) => /^pkg\/([^/]+)\//.exec(path)?.[1];

/**
 * The file that an address means; null if it cannot be one of the page's. Addresses that differ only in the query mean the same file.
 * @param {string} address
 */
function pathOf(address) {
  const { origin, pathname } = new URL(address);
  const plain = origin + pathname;
  if (!plain.startsWith(base)) return null;
  const path = plain.slice(base.length);
  if (path.startsWith("models/") || path === LIST) return null;
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

/**
 * A file from the server, if it is the one that the list announces.
 * @param {string} path
 * @param {string | undefined} sha256
 * @returns {Promise<Response>}
 */
async function fetchChecked(path, sha256) {
  const response = await fetch(base + path, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: the server responded with ${response.status}`);
  const bytes = await response.clone().arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== sha256) throw new Error(`${path} is not the file of build ${BUILD}`);
  if (!response.redirected) return response;
  // Hosts may redirect from documents.html to documents; browsers refuse a page whose response is marked as redirected.
  const headers = new Headers(response.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  return new Response(bytes, { headers });
}

/**
 * @param {Cache} cache
 * @param {Site} site
 * @param {string[]} paths
 */
async function keep(cache, site, paths) {
  const bring = async (/** @type {string} */ path) => {
    if (!(await cache.match(base + path))) await cache.put(base + path, await fetchChecked(path, site.files[path]));
  };
  await Promise.all(paths.map(bring));
}

/** The modules in the caches of other builds: this reader's browser will need the same ones. */
async function variantsBefore() {
  const variants = new Set();
  for (const name of (await caches.keys()).filter((name) => name.startsWith(CACHES) && name !== CACHE_NAME)) {
    for (const { url } of await (await caches.open(name)).keys()) variants.add(variantOf(pathOf(url) ?? ""));
  }
  return variants;
}

async function install() {
  const response = await fetch(base + LIST, { cache: "no-store" });
  const site = /** @type {Site} */ (await response.clone().json());
  if (site.build !== BUILD) throw new Error(`the site is now of build ${site.build}, not ${BUILD}`);
  const variants = await variantsBefore();
  const cache = await caches.open(CACHE_NAME);
  try {
    const isWanted = (/** @type {string | undefined} */ variant) => variant === undefined || variants.has(variant);
    await keep(
      cache,
      site,
      Object.keys(site.files).filter((path) => isWanted(variantOf(path))),
    );
    // Last, so that a cache with a list is whole.
    await cache.put(base + LIST, response);
  } catch (error) {
    await caches.delete(CACHE_NAME);
    throw error;
  }
}

/** This build's own list. @param {Cache} cache @returns {Promise<Site | undefined>} */
const ownList = async (cache) => (await cache.match(base + LIST))?.json();

/** A page that is already open is not claimed: Firefox crashes if the page has workers (seen in version 153). */
async function forgetOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHES) && name !== CACHE_NAME) await caches.delete(name);
  }
}

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

/**
 * A page that is only there to be loaded again. If the browser has ended this worker but not begun the newer one by then, this one is started
 * once more, remembers nothing and asks.
 */
const PASSING =
  "<script>navigator.serviceWorker.onmessage = ({ ports }) => ports[0].postMessage({ leaving: true });</script>";

/** How long a page may take to answer; one that does not answer may be busy or asleep, and is still there. */
const ANSWER_MS = 500;

/** Whether a page is just being left for another or loaded again. @param {Client} page @returns {Promise<boolean>} */
function isLeaving(page) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const end = (/** @type {boolean} */ leaving) => {
      port1.close();
      resolve(leaving);
    };
    port1.onmessage = ({ data }) => end(data?.leaving === true);
    setTimeout(end, ANSWER_MS, false);
    page.postMessage({ asks: "leaving" }, [port2]);
  });
}

/**
 * Whether no page is open, frames not counted, or the only one is the one that a request for a page is to replace. The browser does not tell
 * that from a request of a new tab, which is not listed yet.
 */
async function isLast() {
  const pages = (await worker.clients.matchAll()).filter(({ frameType }) => frameType === "top-level");
  const [only] = pages;
  return only === undefined || (pages.length === 1 && (await isLeaving(only)));
}

/**
 * @param {Request} request
 * @param {string} path
 */
async function answer(request, path) {
  const { waiting } = worker.registration;
  if (request.destination === "document" && waiting && (await isLast())) {
    // The only page of this build is being left or loaded again: the newer worker may begin. It does so once this answer is given, and
    // then receives the request.
    waiting.postMessage({ activate: true });
    return new Response(PASSING, { headers: { Refresh: "0", "Content-Type": "text/html" } });
  }
  const cache = await caches.open(CACHE_NAME);
  const kept = await cache.match(base + path);
  if (kept) return kept;
  const sha256 = (await ownList(cache))?.files[path];
  // A module other than the one that is kept: it must be of this build too.
  return sha256 === undefined ? fetch(request) : fetchChecked(path, sha256).catch(() => Response.error());
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request.url);
  if (request.method !== "GET" || request.headers.has("Range") || path === null) return;
  event.respondWith(answer(request, path));
});

/**
 * Keeps the files of a module too, and those of its counterpart without threads, with which packages are made.
 * @param {string} variant
 * @returns {Promise<boolean>} whether the whole build is here then; rejected if a file cannot be kept
 */
async function keepVariant(variant) {
  const cache = await caches.open(CACHE_NAME);
  const site = await ownList(cache);
  if (!site) return false;
  const variants = [variant, variant.replace(/-threads$/, "")];
  const paths = Object.keys(site.files).filter((path) => variants.includes(variantOf(path) ?? ""));
  await keep(cache, site, paths);
  return paths.length > 0;
}

worker.addEventListener("message", (event) => {
  const { activate, variant } = event.data ?? {};
  if (activate === true) event.waitUntil(worker.skipWaiting());
  if (typeof variant !== "string") return;
  const reply = (/** @type {boolean} */ kept) => event.ports[0]?.postMessage({ kept });
  // The page waits for an answer, whatever fails.
  event.waitUntil(keepVariant(variant).then(reply, () => reply(false)));
});
