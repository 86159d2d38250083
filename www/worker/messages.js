/**
 * How engines tell the other end what they do.
 */

/** @typedef {import("../library/protocol.js").FromWorker} FromWorker */

/** Tells the other end. @typedef {(message: FromWorker, transfer?: Transferable[]) => void} Post */

/** Progress is reported at most this often. */
export const PROGRESS_INTERVAL_MS = 50;

/**
 * @param {unknown} error
 * @returns {{name: string, message: string}}
 */
export function describe(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    return { name: "OperationError", message: `The translation engine stopped: ${error.message}` };
  }
  if (!(error instanceof Error)) return { name: "OperationError", message: String(error) };
  return { name: error instanceof DOMException ? error.name : "OperationError", message: error.message };
}
