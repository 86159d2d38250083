/**
 * Workers as the web has them.
 */
import { stringify } from "./natives.js";

/** @type {{createScriptURL: (address: string) => string} | null | undefined} null if the page forbids it */
let policy;

/**
 * The address as required by pages that allow only trusted ones: such a page's policy must name `trusted-types wanderwort`, and for a second
 * copy of the library `'allow-duplicates'` too; or it has a default policy, which sees the plain address.
 * @param {string} address
 */
function trusted(address) {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  if (policy === undefined) {
    try {
      policy = trustedTypes?.createPolicy("wanderwort", { createScriptURL: (/** @type {string} */ own) => own });
    } catch {
      policy = null;
    }
  }
  return policy?.createScriptURL(address) ?? address;
}

/**
 * @param {string} address
 * @throws {DOMException} `NotSupportedError` where the page trusts no address of ours
 */
function start(address) {
  /** @type {WorkerOptions} */
  const options = { type: "module", name: "wanderwort" };
  try {
    return new Worker(trusted(address), options);
  } catch (error) {
    if (policy !== null || !(error instanceof TypeError)) throw error;
    throw new DOMException(
      "The page's content security policy does not let the library start its worker. It must allow `trusted-types wanderwort`, with " +
        "`'allow-duplicates'` if the page loads the library more than once.",
      "NotSupportedError",
    );
  }
}

/**
 * A worker from an address that may belong to another origin, which browsers allow only through a script of the page's
 * own origin that imports it.
 * @param {URL} url
 * @returns {Worker}
 * @throws {DOMException} `NotSupportedError` where there are no workers
 */
export function startWebWorker(url) {
  if (typeof Worker !== "function") {
    throw new DOMException(
      "Workers cannot be started here. In a service worker, import wanderwort/service-worker (the file library/service-worker.js); in " +
        'Node, import the package by its name, "wanderwort", or its file node/node.js.',
      "NotSupportedError",
    );
  }
  // A page in a sandbox has an address, but no origin.
  const sameOrigin = !/^https?:$/.test(url.protocol) || url.origin === (globalThis.origin ?? location.origin);
  if (sameOrigin) return start(url.href);
  const script = `import ${stringify(url.href)};`;
  // Chromium reads no module from a blob that belongs to no origin.
  if (globalThis.origin === "null") return start(`data:text/javascript,${encodeURIComponent(script)}`);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return start(address);
  } finally {
    // The worker has begun to fetch it; the address may be revoked later.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}
