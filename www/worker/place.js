/**
 * What engines run in, and how they tell the other end of failures.
 */

/** @typedef {import("../library/protocol.js").FromWorker} FromWorker */

/** Tells the other end. @typedef {(message: FromWorker, transfer?: Transferable[]) => void} Post */

/**
 * What engines run in.
 * @typedef {object} Place
 * @property {Post} post
 * @property {() => void} close after a failure: nothing more can be done
 * @property {(script: string) => Promise<any>} importModule
 * @property {number} [threads] at most so many, whatever is asked for
 */

/** Progress is told at most so often. */
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
