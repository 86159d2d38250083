/**
 * What a browser does for its own interfaces and JavaScript does not do by itself: arguments converted as the Web IDL
 * standard prescribes, members that can be enumerated, and signals that follow others.
 */
import { NativePromise } from "./natives.js";

/** Taken before the page can change it: the test for a signal, even one from another frame. */
const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")?.get;

/**
 * @param {string} method
 * @param {number} given
 * @param {number} required
 */
export function requireArguments(method, given, required) {
  if (given < required) throw new TypeError(`${method}: ${required} argument required, but only ${given} present`);
}

/**
 * A `DOMString`. Unlike `String(value)` it refuses symbols.
 * @param {unknown} value
 * @returns {string}
 */
export function toDOMString(value) {
  return `${/** @type {any} */ (value)}`;
}

/**
 * What a dictionary is read from: any object; `undefined` and `null` have no members.
 * @param {unknown} value
 * @param {string} what
 * @returns {any}
 */
export function toDictionary(value, what) {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" && typeof value !== "function") {
    throw new TypeError(`${what}: expected an object, not ${typeof value === "symbol" ? "a symbol" : value}`);
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {string}
 */
export function requiredString(value, what) {
  if (value === undefined) throw new TypeError(`${what} is required`);
  return toDOMString(value);
}

/**
 * A `sequence<DOMString>`: from any object that can be iterated, and from nothing else.
 * @param {unknown} value
 * @param {string} what
 * @returns {string[] | undefined}
 */
export function optionalStrings(value, what) {
  if (value === undefined) return undefined;
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (!isObject || typeof (/** @type {any} */ (value)[Symbol.iterator]) !== "function") {
    throw new TypeError(`${what}: expected a list of strings`);
  }
  const strings = [];
  for (const item of /** @type {Iterable<unknown>} */ (value)) strings.push(toDOMString(item));
  return strings;
}

/**
 * @param {unknown} value
 * @returns {AbortSignal | undefined}
 */
export function optionalSignal(value) {
  if (value === undefined) return undefined;
  try {
    if (!isAborted) throw new TypeError();
    isAborted.call(value);
  } catch {
    throw new TypeError("signal: expected an AbortSignal");
  }
  return /** @type {AbortSignal} */ (value);
}

/**
 * @param {unknown} value
 * @returns {((argument: any) => void) | undefined}
 */
export function optionalCallback(value) {
  if (value !== undefined && typeof value !== "function") throw new TypeError("monitor: expected a function");
  return /** @type {any} */ (value);
}

/**
 * Makes an interface's members enumerable, and names its objects, as a browser's own are.
 * @param {Function} Interface
 * @param {string} name
 * @param {{statics?: string[], members: string[]}} what
 */
export function exposeInterface(Interface, name, { statics = [], members }) {
  for (const member of statics) Object.defineProperty(Interface, member, { enumerable: true });
  for (const member of members) Object.defineProperty(Interface.prototype, member, { enumerable: true });
  Object.defineProperty(Interface.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

/**
 * Does something when a signal is aborted, whatever other listeners do to the event: a dependent signal is aborted with
 * the signal it depends on even if a listener of the latter stops the event.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} action not called if the signal is aborted already
 * @returns {() => void} stops following
 */
export function whenAborted(signal, action) {
  if (!signal) return () => {};
  // Browsers have had `any` since 2023 or 2024.
  const own = typeof AbortSignal.any === "function" ? AbortSignal.any([signal]) : signal;
  own.addEventListener("abort", action, { once: true });
  return () => own.removeEventListener("abort", action);
}

/**
 * Settles in a task of its own: what was due before it has been done.
 * @returns {Promise<void>}
 */
export function nextTask() {
  return new NativePromise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
