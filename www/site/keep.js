/**
 * Makes the service worker keep the site for use without a network, and looks for a newer build.
 */

/** @typedef {import("../worker/engine.js").Variant} Variant */

/** A worker that no page keeps waiting begins at once; one that has not begun after this long is waiting. */
const PATIENCE_MS = 1000;

/**
 * Resolves once a worker is active, is waiting, or has failed.
 * @param {ServiceWorker} worker
 * @returns {Promise<void>}
 */
function settled(worker) {
  return new Promise((resolve) => {
    const check = () => {
      if (worker.state === "activated" || worker.state === "redundant") resolve();
      if (worker.state === "installed") setTimeout(resolve, PATIENCE_MS);
    };
    worker.addEventListener("statechange", check);
    check();
  });
}

/** The build that the server has; null if its list cannot be loaded or names none. */
async function currentBuild() {
  try {
    const response = await fetch(new URL("../site.json", import.meta.url), { cache: "no-store" });
    const { build } = await response.json();
    return typeof build === "string" ? build : null;
  } catch {
    return null;
  }
}

/** Parts of the site that only some readers need. @typedef {Variant | "documents" | "language-detector"} Kept */

/** Whoever leaves a page is gone after this long, unless something has kept the page: an address that was a download. */
const LEAVING_MS = 2000;

/** @type {ReturnType<typeof setTimeout> | undefined} set while the page is being left */
let leaving;

function leave() {
  clearTimeout(leaving);
  leaving = setTimeout(() => (leaving = undefined), LEAVING_MS);
}

/** @param {MessageEvent} event */
function answer({ data, ports }) {
  if (data?.asks === "leaving") ports[0]?.postMessage({ leaving: leaving !== undefined });
}

/** From now on the worker may ask whether the page is being left. Only then, since browsers keep no page for going back that wants to know. */
function watchLeaving() {
  addEventListener("beforeunload", leave);
  navigator.serviceWorker.addEventListener("message", answer);
}

/** @param {ServiceWorker} worker @param {Kept} variant @returns {Promise<boolean>} */
function askToKeep(worker, variant) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      resolve(data?.kept === true);
      port1.close();
    };
    worker.postMessage({ variant }, [port2]);
  });
}

/**
 * @param {Kept | null} variant the module in use
 * @returns {Promise<{kept: boolean, newer: boolean}>} whether everything is kept, and whether a newer build is here too, which waits until no
 *   page of this one is open; neither where there are no service workers or the host has no list of the site's files
 */
export async function keepForOffline(variant) {
  if (variant === null || !("serviceWorker" in navigator)) return { kept: false, newer: false };
  const build = await currentBuild();
  const script = new URL(`../offline.js?build=${build}`, import.meta.url);
  const registration =
    build === null
      ? await navigator.serviceWorker.getRegistration(script)
      : await navigator.serviceWorker.register(script, { updateViaCache: "none" });
  registration?.addEventListener("updatefound", watchLeaving);
  if (registration?.waiting) watchLeaving();
  const coming = registration?.installing ?? registration?.waiting ?? registration?.active;
  if (coming) await settled(coming);
  const active = registration?.active;
  return { kept: active ? await askToKeep(active, variant) : false, newer: Boolean(registration?.waiting) };
}
