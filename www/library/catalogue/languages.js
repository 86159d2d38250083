/**
 * Language tags: which are the same, and how well one language serves for another.
 */

/** A route is looked for among all pairs of a list, and filling in a tag takes a few microseconds. @type {Map<string, Intl.Locale>} */
const known = new Map();

/** A tag with what it leaves open filled in. @param {string} tag */
function maximized(tag) {
  const locale = known.get(tag) ?? new Intl.Locale(tag).maximize();
  known.set(tag, locale);
  return locale;
}

/**
 * How well one language serves for another: 0 the same tag, 1 the same language, script and region, 2 the same language and
 * script, each with what a tag leaves open filled in ("zh-TW" is written in "Hant"). ECMA-402 calls such a choice "best fit".
 *
 * @param {string} available BCP 47 language tag
 * @param {string} wanted BCP 47 language tag
 * @returns {number | undefined} undefined if it does not serve
 */
export function fit(available, wanted) {
  if (canonicalTag(available) === canonicalTag(wanted)) return 0;
  const [a, b] = [maximized(available), maximized(wanted)];
  if (a.language !== b.language || a.script !== b.script) return undefined;
  return a.region === b.region ? 1 : 2;
}

/**
 * Whether a text needs no translation: one language serves for the other.
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 */
export function isIdentity(source, target) {
  return fit(source, target) !== undefined;
}

/**
 * @param {string} tag
 * @returns {string} the tag as BCP 47 writes it
 * @throws {RangeError} if it is not a language tag
 */
export function canonicalTag(tag) {
  return Intl.getCanonicalLocales(tag)[0] ?? "";
}

/**
 * @param {string} tag
 * @param {string} which how a message names it
 * @returns {string} the tag as BCP 47 writes it
 * @throws {RangeError}
 */
export function checkedTag(tag, which) {
  try {
    return canonicalTag(tag);
  } catch {
    throw new RangeError(`${which}: ${tag} is no language tag`);
  }
}
