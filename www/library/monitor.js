/**
 * The progress of a download: the `monitor` of `Translator.create`.
 */
import { exposeInterface, nextTask } from "./webidl.js";

/**
 * An event of {@link CreateMonitor}: `loaded` goes from 0 to 1, and besides the standard's members there are bytes.
 * `loadedBytes` and `totalBytes` count the whole model, `networkBytes` what was not in the browser's storage.
 * @typedef {ProgressEvent & {loadedBytes: number, totalBytes: number, networkBytes: number}} DownloadProgressEvent
 */

/** Progress is reported at most this often. */
const INTERVAL_MS = 50;

/** The standard's precision: finer steps would reveal more of the model's size than it allows. */
const STEPS = 65_536;

/**
 * Reports the progress of a download, in `downloadprogress` events.
 */
export class CreateMonitor extends EventTarget {
  /** @type {((event: DownloadProgressEvent) => void) | null} */
  #handler = null;
  /** Keeps the handler's place among the listeners, as event handlers do. */
  #listening = false;

  /** Handler of `downloadprogress` events. */
  get ondownloadprogress() {
    return this.#handler;
  }
  set ondownloadprogress(handler) {
    this.#handler = typeof handler === "function" ? handler : null;
    if (this.#listening) return;
    this.#listening = true;
    this.addEventListener("downloadprogress", (event) =>
      this.#handler?.call(this, /** @type {DownloadProgressEvent} */ (event)),
    );
  }
}
exposeInterface(CreateMonitor, "CreateMonitor", { members: ["ondownloadprogress"] });

/** @param {number} loaded */
function progressEvent(loaded) {
  const facts = { lengthComputable: true, loaded, total: 1 };
  // Node has no such events.
  if (typeof ProgressEvent === "function") return new ProgressEvent("downloadprogress", facts);
  return Object.assign(new Event("downloadprogress"), facts);
}

/**
 * Fires a monitor's events: 0 first and 1 last, each larger than the one before, none after an abort.
 */
export class ProgressReporter {
  #monitor;
  #ended;
  #last = -1;
  #time = 0;
  /** Reports what came too soon after an event, unless more comes first. @type {ReturnType<typeof setTimeout> | undefined} */
  #late;
  /** Bytes that were here before: they do not count as progress. */
  #stored = 0;

  /**
   * @param {CreateMonitor | undefined} monitor
   * @param {AbortSignal} ended aborted when nobody waits for the model any more
   */
  constructor(monitor, ended) {
    this.#monitor = monitor;
    this.#ended = ended;
  }

  /**
   * The first event, in a task of its own.
   * @param {number} total bytes of the model
   * @param {number} stored those that are here already
   */
  async begin(total, stored) {
    this.#stored = stored;
    await nextTask();
    this.#fire(0, { loaded: stored, total, fromNetwork: 0 });
  }

  /**
   * The last event, in a task of its own, for what needs no download.
   * @param {number} total
   */
  async complete(total) {
    await nextTask();
    this.#fire(1, { loaded: total, total, fromNetwork: 0 });
  }

  /** @param {{loaded: number, total: number, fromNetwork: number}} bytes */
  report(bytes) {
    const { loaded, total } = bytes;
    const done = loaded >= total;
    clearTimeout(this.#late);
    const soon = this.#time + INTERVAL_MS - performance.now();
    if (!done && soon >= 0) {
      // If the download comes to a halt now, how far it came is still reported.
      this.#late = setTimeout(() => this.report(bytes), soon + 1);
      return;
    }
    const share = done ? 1 : Math.max(0, loaded - this.#stored) / Math.max(1, total - this.#stored);
    this.#fire(Math.floor(share * STEPS) / STEPS, bytes);
  }

  /** Another tab is downloading the same model. */
  wait() {
    if (!this.#ended.aborted) this.#monitor?.dispatchEvent(new Event("waiting"));
  }

  /**
   * @param {number} share
   * @param {{loaded: number, total: number, fromNetwork: number}} bytes
   */
  #fire(share, { loaded, total, fromNetwork }) {
    if (this.#ended.aborted || share <= this.#last) return;
    this.#last = share;
    const facts = { loadedBytes: loaded, totalBytes: total, networkBytes: fromNetwork };
    this.#monitor?.dispatchEvent(Object.assign(progressEvent(share), facts));
    // Counted from when the listeners have heard of it, which may be late on a busy machine.
    this.#time = performance.now();
  }
}
