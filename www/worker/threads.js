/**
 * The engine's threads: started by the page on behalf of the engine's worker.
 *
 * Firefox sometimes never returns from starting a worker within a worker (`www/library/detector-in-place.js` says when), which would leave
 * the engine waiting forever; and it garbage-collects workers that share memory but are referenced only by their own
 * events (bug 1702191). A page's workers have neither problem.
 */

/**
 * A message to the page, which starts `url`, sends it `message` and passes back what it answers.
 * @typedef {{type: "thread", thread: number, url: string, message: unknown}} StartThread
 */

/** @type {Map<number, ThreadWorker>} */
const threads = new Map();

/**
 * As much of `Worker` as wasm-bindgen-rayon needs.
 */
class ThreadWorker extends EventTarget {
  #url;
  /** @type {(reason: Error) => void} */
  fail = () => {};
  /** Rejected if it fails; never resolved. @type {Promise<never>} */
  failure = new Promise((_, reject) => (this.fail = reject));

  /** @param {string | URL} url */
  constructor(url) {
    super();
    this.#url = String(url);
  }

  /** @param {unknown} message */
  postMessage(message) {
    const thread = threads.size;
    threads.set(thread, this);
    /** @type {StartThread} */
    const start = { type: "thread", thread, url: this.#url, message };
    postMessage(start);
  }
}

/**
 * Starts threads; fails when one of them does not start.
 * @param {() => Promise<unknown>} start makes their workers before it returns
 */
export async function withPageThreads(start) {
  const first = threads.size;
  const original = globalThis.Worker;
  globalThis.Worker = /** @type {any} */ (ThreadWorker);
  /** @type {Promise<unknown>} */
  let started;
  try {
    started = start();
  } finally {
    globalThis.Worker = original;
  }
  const failures = [...threads.values()].slice(first).map(({ failure }) => failure);
  await Promise.race([started, ...failures]);
}

/**
 * What a thread has answered.
 * @param {number} thread
 * @param {unknown} data
 */
export function threadAnswered(thread, data) {
  threads.get(thread)?.dispatchEvent(new MessageEvent("message", { data }));
}

/**
 * A thread has not started.
 * @param {number} thread
 * @param {string} reason
 */
export function threadFailed(thread, reason) {
  threads.get(thread)?.fail(new Error(`a thread failed: ${reason}`));
}
