/**
 * A model's buffers as the files that the engine reads.
 */

/** @typedef {ArrayBuffer | ArrayBufferView<ArrayBuffer>} ModelBuffer */

/** Settings of the decoder by Marian's names. @typedef {Record<string, string | number | boolean | (string | number | boolean)[]>} ModelConfig */

/**
 * A Marian model in memory.
 * @typedef {object} ModelBuffers
 * @property {ModelBuffer} model the weights, a `.bin` with eight bits each
 * @property {ModelBuffer | null} [shortlist] the lexical shortlist in its binary form
 * @property {ModelBuffer[]} vocabs the SentencePiece vocabulary of both languages, or that of the source and that of the target
 * @property {ModelBuffer | null} [qualityModel] accepted and not used
 * @property {ModelConfig} [config]
 */

/** Settings that hold unless a model's own say otherwise. @type {ModelConfig} */
const DEFAULTS = { "beam-size": 1, normalize: 1, "word-penalty": 0 };

/** Settings that hold whatever the model's own say. @type {ModelConfig} */
const FIXED = { "max-length-break": 128, "max-length-factor": 2 };

/** Words and numbers that YAML reads the same without quotes. */
const PLAIN = /^[\w.+-]+$/;

/** @param {unknown} value @returns {string} */
function yamlValue(value) {
  if (Array.isArray(value)) return `[${value.map(yamlValue).join(", ")}]`;
  const text = String(value);
  // YAML accepts JSON's strings.
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

/** @param {Record<string, unknown>} settings */
function yaml(settings) {
  const isSet = (/** @type {[string, unknown]} */ [, value]) => value !== undefined && value !== null;
  const lines = Object.entries(settings).filter(isSet);
  return lines.map(([name, value]) => `${JSON.stringify(name)}: ${yamlValue(value)}\n`).join("");
}

/**
 * The files of a model.
 *
 * @param {ModelBuffers} buffers
 * @param {string} name what the model is called in errors
 * @returns {File[]}
 * @throws {TypeError} if a part is missing
 */
export function modelFiles({ model, shortlist, vocabs, config }, name) {
  if (!model?.byteLength) throw new TypeError(`The model ${name} has no weights: expected \`model\` with their bytes.`);
  const vocabularies = [...new Set(vocabs ?? [])];
  const [first, second, ...others] = vocabularies;
  if (!first || others.length > 0) {
    throw new TypeError(
      `The model ${name} has ${vocabularies.length} vocabularies: expected \`vocabs\` with one, or with the source's and the target's.`,
    );
  }
  /** @type {[name: string, content: ModelBuffer][]} */
  const parts = [["model.bin", model]];
  if (second) parts.push(["source.spm", first], ["target.spm", second]);
  else parts.push(["vocabulary.spm", first]);
  if (shortlist?.byteLength) parts.push(["lex.bin", shortlist]);
  const settings = {
    ...DEFAULTS,
    ...config,
    ...FIXED,
    models: ["model.bin"],
    vocabs: second ? ["source.spm", "target.spm"] : ["vocabulary.spm"],
    shortlist: shortlist?.byteLength ? ["lex.bin", false] : null,
  };
  const files = parts.map(([part, content]) => new File([content], part));
  return [...files, new File([yaml(settings)], "decoder.yml")];
}
