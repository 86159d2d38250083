/**
 * A service worker that keeps the page itself, so that it opens without a network. The models are not its business:
 * `storage.js` keeps those.
 *
 * It asks the network first, always: what it keeps is only for when none answers, so a reader never sees an old page
 * while a new one can be had.
 */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const CACHE_NAME = "wanderwort-page-1";

/** Whether an address belongs to the page. @param {URL} url */
const isOurs = (url) =>
  url.href.startsWith(worker.registration.scope) &&
  !url.pathname.includes("/models/") &&
  url.protocol.startsWith("http");

/** What differs only in its query is the same page. @param {string} address */
function plain(address) {
  const url = new URL(address);
  url.search = url.hash = "";
  return url.href;
}

worker.addEventListener("install", () => {
  worker.skipWaiting();
});

/** A network that is there but does not answer for so long counts as none. */
const PATIENCE_MS = 3000;

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(CACHE_NAME);
  const fresh = fetch(request).then(async (response) => {
    if (response.status === 200) await cache.put(plain(request.url), response.clone()).catch(() => {});
    return response;
  });
  fresh.catch(() => {});
  const kept = await cache.match(plain(request.url));
  if (!kept) return fresh;
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE_MS));
  return /** @type {Promise<Response>} */ (Promise.race([fresh, late]).catch(() => kept));
}

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || request.headers.has("Range") || !isOurs(new URL(request.url))) return;
  event.respondWith(answer(request));
});

// The page names what it had loaded before this worker was there to see it.
worker.addEventListener("message", (event) => {
  const addresses = /** @type {string[]} */ (event.data?.keep ?? []);
  const keep = async () => {
    const cache = await caches.open(CACHE_NAME);
    for (const address of new Set(addresses.map(plain))) {
      if (!isOurs(new URL(address)) || (await cache.match(address))) continue;
      await cache.add(address).catch(() => {});
    }
    event.ports[0]?.postMessage({ kept: true });
  };
  event.waitUntil(keep());
});
