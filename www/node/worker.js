/**
 * Runs a script made for web workers in a worker thread: gives it the globals that it expects.
 */
import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { fetchAny } from "./fetch.js";

const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);

/** A file whose content can be read synchronously. */
class LoadedFile extends File {
  /** @param {{name: string, bytes: Uint8Array<ArrayBuffer>}} content */
  constructor({ name, bytes }) {
    super([bytes], name);
    this.bytesAtOnce = bytes;
  }
}

/** The web's, for the files above. */
class FileReaderSync {
  /** @param {LoadedFile} file */
  readAsArrayBuffer(file) {
    const { buffer, byteOffset, byteLength } = file.bytesAtOnce;
    return buffer.slice(byteOffset, byteOffset + byteLength);
  }
}

/**
 * A message with files in place of their contents.
 * @param {any} message
 * @returns {any}
 */
function withFiles(message) {
  const { own, models } = message;
  if (own) return { ...message, own: own.map((/** @type {any} */ content) => new LoadedFile(content)) };
  return models ? { ...message, models: models.map(withFiles) } : message;
}

const events = new EventTarget();

Object.assign(globalThis, {
  self: globalThis,
  onmessage: null,
  // Threads of one process share memory, whatever headers a page would need.
  crossOriginIsolated: true,
  FileReaderSync,
  fetch: fetchAny,
  addEventListener: events.addEventListener.bind(events),
  removeEventListener: events.removeEventListener.bind(events),
  dispatchEvent: events.dispatchEvent.bind(events),
  /** @param {unknown} message @param {{transfer?: any[]}} [options] */
  postMessage: (message, options) => port.postMessage(message, /** @type {any} */ (options?.transfer)),
  close: () => port.close(),
});

// Older releases have none.
globalThis.navigator ??= /** @type {Navigator} */ ({ hardwareConcurrency: availableParallelism() });

await import(/* @vite-ignore */ workerData.script);

port.on("message", (message) => {
  const event = new MessageEvent("message", { data: withFiles(message) });
  events.dispatchEvent(event);
  globalThis.onmessage?.call(/** @type {any} */ (globalThis), event);
});
