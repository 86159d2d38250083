/**
 * The browser's interface to extensions. Chrome and Firefox have the same under two names.
 */

/** @typedef {any} ExtensionApi Neither browser ships types; what is used here is the same in both. */

/** @type {ExtensionApi} */
export const api = /** @type {any} */ (globalThis).browser ?? /** @type {any} */ (globalThis).chrome;

/** Chrome's service workers cannot have workers of their own; its offscreen documents can. */
export const hasOffscreen = api.offscreen !== undefined;
