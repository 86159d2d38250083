/**
 * Globals that the library uses and that pages are known to replace or delete: taken when the library is loaded, whatever becomes of them
 * later. Those already gone by then are obtained in other ways, or done without.
 */

/** The promises that the language itself makes, by whatever name a page calls them. @type {PromiseConstructor} */
export const NativePromise = /** @type {any} */ ((async () => {})().constructor);

/** @type {typeof JSON.stringify} */
export const stringify = globalThis.JSON?.stringify;
