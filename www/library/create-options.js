/**
 * The options of `Translator.create` and `availability`, checked as Web IDL prescribes.
 */
import { checkedTag } from "./catalogue.js";
import { optionalCallback, optionalSignal, requiredString, toDictionary } from "./webidl.js";

/** @typedef {import("./wanderwort.js").CreateOptions} CreateOptions */

/** Hypotheses per sentence; nobody searches more widely. */
const WIDEST_BEAM = 64;

/** Sentences in a cache: about 50 MB. */
const LARGEST_CACHE = 100_000;

/**
 * @param {string} name
 * @param {number | undefined} value
 * @param {number} least
 * @param {number} most
 */
function checkedNumber(name, value, least, most) {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`${name}: expected a whole number from ${least} to ${most}, not ${value}`);
  }
  return value;
}

/** Canonical language tags. @typedef {{source: string, target: string}} Pair @internal */

/**
 * @param {{sourceLanguage: string, targetLanguage: string}} languages
 * @returns {Pair}
 */
export function canonicalPair({ sourceLanguage, targetLanguage }) {
  return {
    source: checkedTag(sourceLanguage, "sourceLanguage"),
    target: checkedTag(targetLanguage, "targetLanguage"),
  };
}

/**
 * The members that `availability` reads, in the order in which Web IDL reads them.
 * @param {unknown} options
 */
export function coreOptions(options) {
  const given = toDictionary(options, "options");
  const sourceLanguage = requiredString(given.sourceLanguage, "sourceLanguage");
  const targetLanguage = requiredString(given.targetLanguage, "targetLanguage");
  return { given, sourceLanguage, targetLanguage };
}

/**
 * @param {unknown} options
 * @returns {CreateOptions}
 */
export function createOptions(options) {
  const { given, sourceLanguage, targetLanguage } = coreOptions(options);
  const monitor = optionalCallback(given.monitor);
  const signal = optionalSignal(given.signal);
  const { models, model, threads, variant } = given;
  const files = given.files === undefined ? undefined : [...given.files];
  const beam = checkedNumber("beam", given.beam, 1, WIDEST_BEAM);
  const cache = checkedNumber("cache", given.cache, 0, LARGEST_CACHE);
  const targetToken = given.targetToken === undefined ? undefined : String(given.targetToken);
  const own = { models, model, files, threads, variant, beam, cache, targetToken };
  return { sourceLanguage, targetLanguage, monitor, signal, ...own };
}
