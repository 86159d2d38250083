/**
 * What is used of the surroundings and pages are known to replace or delete: taken when the library is loaded, whatever becomes of it later.
 * What is gone before that is had in other ways, or done without.
 */

/** The promises that the language itself makes, by whatever name a page has them. @type {PromiseConstructor} */
export const NativePromise = /** @type {any} */ ((async () => {})().constructor);

/** @type {typeof JSON.stringify} */
export const stringify = globalThis.JSON?.stringify;
