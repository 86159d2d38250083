/**
 * What `Translator.create` and `availability` are given, checked as Web IDL has it.
 */
import { checkedTag } from "./catalogue.js";
import { optionalCallback, optionalSignal, requiredString, toDictionary } from "./webidl.js";

/** @typedef {import("./wanderwort.js").CreateOptions} CreateOptions */

/** Hypotheses of a sentence; nobody searches more widely. */
const WIDEST_BEAM = 64;

/** @param {number} [beam] */
function checkedBeam(beam) {
  if (beam !== undefined && !(Number.isInteger(beam) && beam >= 1 && beam <= WIDEST_BEAM)) {
    throw new RangeError(`beam: expected a whole number from 1 to ${WIDEST_BEAM}, not ${beam}`);
  }
  return beam;
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
  const beam = checkedBeam(given.beam);
  const targetToken = given.targetToken === undefined ? undefined : String(given.targetToken);
  return { sourceLanguage, targetLanguage, monitor, signal, models, model, files, threads, variant, beam, targetToken };
}
