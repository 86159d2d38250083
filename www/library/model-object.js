/**
 * What the web's interfaces to models have in common (Writing Assistance APIs, "shared infrastructure"): how an object is made,
 * measured, aborted and destroyed.
 */
import { NativePromise } from "./natives.js";
import { requireActiveDocument } from "./active-document.js";
import { CreateMonitor, ProgressReporter } from "./monitor.js";
import { nextTask, optionalSignal, requireArguments, toDOMString, toDictionary, whenAborted } from "./webidl.js";

/**
 * Longer texts should be passed in parts: a novel has a few million code units. (Nothing breaks beyond that; the limit
 * keeps a mistake from filling the memory.)
 */
export const INPUT_QUOTA = 1 << 24;

/** Whether a model can be used: at once (`available`), after a download (`downloadable`, `downloading`), or not. @typedef {"unavailable" | "downloadable" | "downloading" | "available"} Availability */

/**
 * @callback MonitorCallback
 * @param {CreateMonitor} monitor
 * @returns {void}
 */

/** Ends objects to which nobody holds a reference any more. */
const abandoned = new FinalizationRegistry((/** @type {Destruction} */ destruction) => destruction.destroy());

/** The end of an object backed by a model: by `destroy()`, by the signal of `create()`, or because nobody holds a reference to it any more. */
export class Destruction extends AbortController {
  #what;

  /** @param {string} what its name in messages */
  constructor(what) {
    super();
    this.#what = what;
  }

  /** @param {object} object that ends with its last reference */
  watch(object) {
    abandoned.register(object, this, object);
  }

  /** @param {object} [object] */
  destroy(object) {
    if (object) abandoned.unregister(object);
    this.abort(new DOMException(`The ${this.#what} was destroyed.`, "AbortError"));
  }
}

/**
 * What the loading of a model uses: it stops when `ended` is aborted.
 * @internal
 * @typedef {{ended: AbortSignal, progress: ProgressReporter}} Creation
 */

/**
 * Makes an object backed by a model, as `create` of the web's interfaces does.
 *
 * @template Parts, Made
 * @param {string} what its name in messages
 * @param {() => {signal?: AbortSignal, monitor?: MonitorCallback, provide: (creation: Creation) => Promise<Parts>}} prepare
 *   checks the arguments, before anything happens
 * @param {(parts: Parts, destruction: Destruction) => Made} construct
 * @returns {Promise<Made>}
 */
export function createModelObject(what, prepare, construct) {
  return new NativePromise((resolve, reject) => {
    const { signal, monitor: callback, provide } = prepare();
    if (signal?.aborted) throw signal.reason;
    const destruction = new Destruction(what);
    const unfollow = whenAborted(signal, () => {
      destruction.abort(signal?.reason);
      reject(signal?.reason);
    });
    // The signal may live much longer than the object.
    destruction.signal.addEventListener("abort", unfollow);
    const monitor = new CreateMonitor();
    try {
      callback?.(monitor);
    } catch (error) {
      destruction.abort(error);
      throw error;
    }
    const progress = new ProgressReporter(callback && monitor, destruction.signal);
    provide({ ended: destruction.signal, progress }).then(
      (parts) => resolve(construct(parts, destruction)),
      (error) => {
        unfollow();
        reject(error);
      },
    );
  });
}

/** @param {(AbortSignal | undefined)[]} signals */
export function throwIfAborted(...signals) {
  for (const signal of signals) if (signal?.aborted) throw signal.reason;
}

/**
 * @param {unknown} options of a request
 * @returns {{signal: AbortSignal | undefined, priority: number | undefined}}
 */
export function requestOptions(options) {
  const given = toDictionary(options, "options");
  return { signal: optionalSignal(given.signal), priority: given.priority };
}

/**
 * The error for a text that is longer than the quota.
 * @param {number} requested UTF-16 code units
 */
export function quotaExceeded(requested) {
  const quota = INPUT_QUOTA;
  const message = `The text has ${requested} UTF-16 code units; at most ${quota} are taken at once.`;
  // A class of its own in newer browsers, a mere name in older ones.
  const Class = /** @type {any} */ (globalThis).QuotaExceededError;
  return typeof Class === "function"
    ? new Class(message, { quota, requested })
    : Object.assign(new DOMException(message, "QuotaExceededError"), { quota, requested });
}

/**
 * Throws whatever prevents a request. It throws at once: where the document is gone, promises no longer have any effect.
 * @param {string} text
 * @param {(AbortSignal | undefined)[]} signals
 */
export function checkRequest(text, ...signals) {
  requireActiveDocument();
  throwIfAborted(...signals);
  if (text.length > INPUT_QUOTA) throw quotaExceeded(text.length);
}

/**
 * Checks the arguments at once, and returns a function that measures how much of the quota a text takes: its length, and at least 1.
 * @param {AbortSignal} ended
 * @param {ArrayLike<unknown>} given the arguments of `measureInputUsage`
 * @returns {() => Promise<number>}
 */
export function usageMeter(ended, given) {
  requireArguments("measureInputUsage", given.length, 1);
  const text = toDOMString(given[0]);
  const { signal } = requestOptions(given[1]);
  requireActiveDocument();
  throwIfAborted(ended, signal);
  return async () => {
    await nextTask();
    throwIfAborted(ended, signal);
    return Math.max(1, text.length);
  };
}
