/**
 * Workers as the web has them.
 */

/** @type {{createScriptURL: (address: string) => string} | undefined} */
let policy;

/**
 * The address as pages want it that allow only trusted ones; such a page's policy must name `trusted-types wanderwort`.
 * @param {string} address
 */
function trusted(address) {
  const { trustedTypes } = /** @type {any} */ (globalThis);
  policy ??= trustedTypes?.createPolicy("wanderwort", { createScriptURL: (/** @type {string} */ own) => own });
  return policy?.createScriptURL(address) ?? address;
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
  /** @type {WorkerOptions} */
  const options = { type: "module", name: "wanderwort" };
  const sameOrigin = url.protocol !== "http:" && url.protocol !== "https:" ? true : url.origin === location.origin;
  if (sameOrigin) return new Worker(trusted(url.href), options);
  const script = new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  try {
    return new Worker(trusted(address), options);
  } finally {
    // The worker has begun to fetch it; a later turn may forget it.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}
