/**
 * A `fetch` that reads files too, which Node's own refuses to do.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const webFetch = globalThis.fetch;

/**
 * @param {string | URL | Request} resource
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function fetchAny(resource, options) {
  const address = resource instanceof Request ? resource.url : String(resource);
  if (!address.startsWith("file:")) return webFetch(resource, options);
  options?.signal?.throwIfAborted();
  const type = address.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(await readFile(fileURLToPath(address)), { headers: { "Content-Type": type } });
}
