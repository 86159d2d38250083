/**
 * Languages that detectors mistake for each other, and pages declare for each other: whoever reads one of them reads the others.
 */

/**
 * What stands for all of them, by language and script: Serbian in Cyrillic is not like Croatian.
 * @type {Record<string, string>}
 */
const ALIKE = { "nb-Latn": "no", "nn-Latn": "no", "ms-Latn": "id", "bs-Latn": "hr", "sr-Latn": "hr" };

/** Finding it takes some microseconds. @type {Map<string, string>} */
const known = new Map();

/** @param {string} tag */
function findFamily(tag) {
  try {
    const { language, script } = new Intl.Locale(tag.trim().replaceAll("_", "-")).maximize();
    return ALIKE[`${language}-${script}`] ?? language;
  } catch {
    return tag;
  }
}

/** @param {string} tag */
function familyOf(tag) {
  let family = known.get(tag);
  if (family === undefined) {
    family = findFamily(tag);
    // Pages have few tags; one that makes up new ones must not fill the memory.
    if (known.size < 500) known.set(tag, family);
  }
  return family;
}

/** Whether a text in one language passes for a text in another, whatever its region. @param {string} a @param {string} b */
export const areAlike = (a, b) => familyOf(a) === familyOf(b);
