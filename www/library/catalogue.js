/**
 * The list of models that a site offers: `index.json`, read, checked and searched.
 */

/**
 * A model is one package, or Marian's files, whose names tell their parts.
 * @typedef {object} ModelFile
 * @property {"package"} [role] missing for Marian's files
 * @property {string} url absolute
 * @property {number} size in bytes
 * @property {string} sha256 as 64 hexadecimal digits; also the name under which the browser keeps the file
 */

/**
 * @typedef {object} ModelEntry
 * @property {string} name
 * @property {string} source BCP 47 language tag
 * @property {string} target BCP 47 language tag
 * @property {ModelFile[]} files
 * @property {string} [licence]
 * @property {string} [note] what a reader should know about this model
 * @property {Record<string, {bleu?: number, chrf?: number}>} [scores] by test set
 */

/** The only version of the list's form so far. */
const VERSION = 1;

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {string}
 */
function requireText(value, where) {
  if (typeof value !== "string" || value === "") throw new TypeError(`${where}: expected a text, found ${value}`);
  return value;
}

/**
 * Checks what a server sent as its list of models.
 *
 * @param {unknown} json
 * @param {string} base the list's own address; the files' addresses are relative to it
 * @returns {ModelEntry[]}
 * @throws {TypeError} naming the entry and field that is not as it should be
 */
export function parseCatalogue(json, base) {
  if (!isObject(json) || !Array.isArray(json.models)) throw new TypeError(`${base}: expected {"models": […]}`);
  if (json.version !== VERSION) {
    throw new TypeError(`${base}: version ${json.version} of the list; this program reads version ${VERSION}`);
  }
  return json.models.map((model, i) => {
    const where = `${base}: models[${i}]`;
    if (!isObject(model)) throw new TypeError(`${where}: expected an object`);
    if (!Array.isArray(model.files) || model.files.length === 0) {
      throw new TypeError(`${where}.files: expected at least one file`);
    }
    const files = model.files.map((file, j) => parseFile(file, `${where}.files[${j}]`, base));
    if (files.length > 1 && files.some((file) => file.role === "package")) {
      throw new TypeError(`${where}.files: a package is a whole model; it has no other files beside it`);
    }
    return {
      name: requireText(model.name, `${where}.name`),
      source: requireText(model.source, `${where}.source`),
      target: requireText(model.target, `${where}.target`),
      files,
      licence: typeof model.licence === "string" ? model.licence : undefined,
      note: typeof model.note === "string" ? model.note : undefined,
      scores: isObject(model.scores) ? /** @type {ModelEntry["scores"]} */ (model.scores) : undefined,
    };
  });
}

/**
 * @param {unknown} file
 * @param {string} where
 * @param {string} base
 * @returns {ModelFile}
 */
function parseFile(file, where, base) {
  if (!isObject(file)) throw new TypeError(`${where}: expected an object`);
  const { role } = file;
  if (role !== undefined && role !== "package") {
    throw new TypeError(`${where}.role: expected "package", or none for Marian's files; found ${JSON.stringify(role)}`);
  }
  const size = file.size;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size <= 0) {
    throw new TypeError(`${where}.size: expected a number of bytes, found ${size}`);
  }
  const sha256 = requireText(file.sha256, `${where}.sha256`).toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError(`${where}.sha256: expected 64 hexadecimal digits`);
  const url = new URL(requireText(file.url, `${where}.url`), base);
  if (url.protocol !== "https:" && url.protocol !== "http:" && url.protocol !== new URL(base).protocol) {
    throw new TypeError(`${where}.url: ${url.protocol} is no protocol for downloads`);
  }
  return { role, url: url.href, size, sha256 };
}

/**
 * How well one language serves for another: 0 the same tag, 1 the same language, script and region, 2 the same language and
 * script, each with what a tag leaves open filled in ("zh-TW" is written in "Hant"). ECMA-402 calls such a choice "best fit".
 *
 * @param {string} available BCP 47 language tag
 * @param {string} wanted BCP 47 language tag
 * @returns {number | undefined} undefined if it does not serve
 */
function fit(available, wanted) {
  if (canonicalTag(available) === canonicalTag(wanted)) return 0;
  const [a, b] = [new Intl.Locale(available).maximize(), new Intl.Locale(wanted).maximize()];
  if (a.language !== b.language || a.script !== b.script) return undefined;
  return a.region === b.region ? 1 : 2;
}

/**
 * The models for a pair of languages: those whose tags are the wanted ones, and then those for the same languages in
 * another region ("en" serves "en-GB"), each in the order of the list. Another script is another language here.
 *
 * @param {ModelEntry[]} catalogue
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 * @returns {ModelEntry[]}
 */
export function findModels(catalogue, source, target) {
  /** @type {{model: ModelEntry, distance: number}[]} */
  const found = [];
  for (const model of catalogue) {
    const [from, to] = [fit(model.source, source), fit(model.target, target)];
    if (from !== undefined && to !== undefined) found.push({ model, distance: from + to });
  }
  return found.sort((a, b) => a.distance - b.distance).map(({ model }) => model);
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
 * @throws {RangeError} if it is no language tag
 */
export function canonicalTag(tag) {
  return Intl.getCanonicalLocales(tag)[0] ?? "";
}

/**
 * A list of one model, as it is stored.
 * @param {ModelEntry} model
 */
export function listOfOne(model) {
  return { version: VERSION, models: [model] };
}

/**
 * The sum of a model's files in bytes.
 * @param {{files: {size: number}[]}} model
 */
export function modelSize({ files }) {
  // Old libraries replace `reduce` by something else.
  let sum = 0;
  for (const { size } of files) sum += size;
  return sum;
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
