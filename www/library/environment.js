/**
 * Where the library runs, in a page, a worker or on a server, and what differs there.
 */
import { startWebWorker } from "./web-worker.js";

/**
 * As much of the web's `Worker` as is needed. Where a process lives only as long as something keeps it alive, `ref` and `unref` say
 * whether the worker does.
 * @typedef {object} EngineWorker
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onerror
 * @property {(message: unknown, transfer: Transferable[]) => void} postMessage
 * @property {() => void} terminate
 * @property {() => void} [ref]
 * @property {() => void} [unref]
 */

/**
 * How workers are started and lists of models fetched: the web's ways, which `node.js` replaces.
 * @type {{startWorker: (url: URL) => EngineWorker, fetch: (address: string, options: RequestInit) => Promise<Response>}}
 */
export const environment = {
  startWorker: startWebWorker,
  fetch: (address, options) => fetch(address, options),
};
