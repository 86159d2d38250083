/**
 * Has the service worker keep the site for when there is no network.
 */

/** What a reader may want that this page has not loaded itself. */
const ALSO = [
  "./",
  "documents.html",
  "documents.js",
  "demonstration.html",
  "app.js",
  "live.js",
  "own-model.js",
  "manifest.webmanifest",
];

/**
 * @param {string[]} resources what the engine's worker loaded
 * @returns {Promise<boolean>} whether everything is kept; false where there are no service workers
 */
export async function keepForOffline(resources) {
  if (!("serviceWorker" in navigator)) return false;
  await navigator.serviceWorker.register(new URL("offline.js", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  const own = performance.getEntriesByType("resource").map((entry) => entry.name);
  const also = ALSO.map((path) => new URL(path, import.meta.url).href);
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      resolve(data?.kept === true);
      port1.close();
    };
    active?.postMessage({ keep: [location.href, ...own, ...resources, ...also] }, [port2]);
  });
}
