/**
 * Detects the language of texts on the reader's own machine, in the shape of the web's Language Detector API.
 *
 *     import { LanguageDetector } from "./wanderwort.js";
 *     const detector = await LanguageDetector.create();
 *     const [best] = await detector.detect("Guten Morgen!");
 *
 * The detection is done by the library `eld` (pkg/language-detector), which is loaded when the first detector is created.
 */
import { requireActiveDocument } from "./active-document.js";
import { checkedTag } from "./catalogue.js";
import { detection } from "./detection.js";
import { INPUT_QUOTA, checkRequest, createModelObject, requestOptions, usageMeter } from "./model-object.js";
import {
  exposeInterface,
  optionalCallback,
  optionalSignal,
  optionalStrings,
  requireArguments,
  toDOMString,
  toDictionary,
} from "./webidl.js";

/** @typedef {import("./model-object.js").Availability} Availability */
/** @typedef {import("./model-object.js").Creation} Creation */
/** @typedef {import("./model-object.js").Destruction} Destruction */
/** @typedef {import("./model-object.js").MonitorCallback} MonitorCallback */

/**
 * A language that a text may be in, or `und` for any other, and how likely that is, from 0 to 1.
 * @typedef {object} LanguageDetectionResult
 * @property {string} detectedLanguage BCP 47 language tag
 * @property {number} confidence
 */

/**
 * @typedef {object} DetectorLanguages
 * @property {string[]} [expectedInputLanguages] BCP 47 language tags. Of languages that cannot be told apart (Bokmål and Nynorsk,
 *   Indonesian and Malay, Bosnian and Croatian) the expected one is reported
 */

/**
 * @typedef {object} OwnDetectorOptions
 * @property {MonitorCallback} [monitor]
 * @property {AbortSignal} [signal] aborts loading; later it destroys the detector
 */

/** @typedef {DetectorLanguages & OwnDetectorOptions} DetectorOptions */

/**
 * @typedef {object} DetectOptions
 * @property {AbortSignal} [signal]
 */

/** The languages that are known, by their shortest codes. */
const LANGUAGES = new Set(
  (
    "am ar az be bg bn bs ca cs da de el en es et eu fa fi fil fr gu he hi hr hu hy id is it ja ka kn ko ku lo lt lv ml mr " +
    "ms nb nl nn no or pa pl pt ro ru sk sl sq sr sv ta te th tr uk ur vi yo zh"
  ).split(" "),
);

/**
 * The members that `availability` reads, in the order in which Web IDL reads them.
 * @param {unknown} options
 */
function coreOptions(options) {
  const given = toDictionary(options, "options");
  return { given, languages: optionalStrings(given.expectedInputLanguages, "expectedInputLanguages") ?? [] };
}

/**
 * @param {string[]} tags
 * @returns {string[]} each once
 */
const canonicalTags = (tags) => [...new Set(tags.map((tag) => checkedTag(tag, "expectedInputLanguages")))];

/**
 * The best fit for a language: a script or a region makes no difference here.
 * @param {string} tag
 */
const bestFit = (tag) => new Intl.Locale(tag).language;

/**
 * @param {string[]} expected
 * @returns {Availability}
 */
function availabilityFor(expected) {
  if (!expected.every((tag) => LANGUAGES.has(bestFit(tag)))) return "unavailable";
  if (detection.isHere) return "available";
  return detection.isComing ? "downloading" : "downloadable";
}

/**
 * @param {Creation} creation
 * @param {string[]} expected
 * @returns {Promise<string[]>} the best fits for what is expected
 */
async function provide({ ended, progress }, expected) {
  const availability = availabilityFor(expected);
  if (availability === "unavailable") {
    const unknown = expected.filter((tag) => !LANGUAGES.has(bestFit(tag)));
    const message = `${unknown.join(", ")} cannot be told from other languages; these can: ${[...LANGUAGES].join(", ")}.`;
    throw new DOMException(message, "NotSupportedError");
  }
  await progress.begin(0, 0);
  if (availability === "available") await progress.complete(0);
  await detection.join(ended);
  await progress.complete(0);
  return [...new Set(expected.map(bestFit))];
}

const CONSTRUCT = Symbol("LanguageDetector");

/** Detects which language a text is in. Made by {@link LanguageDetector.create}. */
export class LanguageDetector {
  #expected;
  /** Aborted by `destroy()` and by the signal of `create()`; everything pending is aborted with it. */
  #destruction;

  /**
   * @hideconstructor
   */
  constructor() {
    // Web IDL requires the constructor's `length` to be 0.
    const [key, expected, destruction] = /** @type {[symbol?, string[]?, Destruction?]} */ (
      /** @type {unknown} */ (arguments)
    );
    if (key !== CONSTRUCT || !expected || !destruction) {
      throw new TypeError("Illegal constructor; use LanguageDetector.create()");
    }
    this.#expected = expected.length > 0 ? Object.freeze(expected) : null;
    this.#destruction = destruction;
    destruction.watch(this);
  }

  /**
   * Whether languages can be detected: at once (`available`), after a download of 290 KB (`downloadable`, `downloading`), or not
   * (`unavailable`).
   *
   * @param {DetectorLanguages} [options]
   * @returns {Promise<Availability>}
   * @throws {RangeError} if a language tag is invalid
   * @throws {DOMException} `InvalidStateError`
   */
  static async availability(options = {}) {
    const { languages } = coreOptions(options);
    requireActiveDocument();
    return availabilityFor(canonicalTags(languages));
  }

  /**
   * Loads the language detector. Aborting the signal later destroys it.
   *
   * @param {DetectorOptions} [options]
   * @returns {Promise<LanguageDetector>}
   * @throws {RangeError} if a language tag is invalid
   * @throws {DOMException} `NotSupportedError` if one of the expected languages is not known, or where no workers can be started,
   *   `NetworkError` if something could not be downloaded, `AbortError`, `InvalidStateError`
   */
  static create(options = {}) {
    const prepare = () => {
      const { given, languages } = coreOptions(options);
      const monitor = optionalCallback(given.monitor);
      const signal = optionalSignal(given.signal);
      requireActiveDocument();
      const expected = canonicalTags(languages);
      return { signal, monitor, provide: (/** @type {Creation} */ creation) => provide(creation, expected) };
    };
    return createModelObject("language detector", prepare, construct);
  }

  /** The expected languages, by the tags that fit them best; null if none were given. @returns {readonly string[] | null} */
  get expectedInputLanguages() {
    return this.#expected;
  }

  /** The longest text that `detect` takes at once, in UTF-16 code units. */
  get inputQuota() {
    // The same for all detectors, but other objects do not have it.
    void this.#destruction;
    return INPUT_QUOTA;
  }

  /**
   * The languages of a text, the likeliest first. The last result is always `und`, with the remaining confidence. For a text in
   * several languages, the confidence is divided among them.
   *
   * @param {string} input
   * @param {DetectOptions} [options]
   * @returns {Promise<LanguageDetectionResult[]>}
   * @throws {DOMException} `QuotaExceededError`, `AbortError`, `UnknownError`, `InvalidStateError`
   */
  async detect(input, options = {}) {
    const ended = this.#destruction.signal;
    requireArguments("detect", arguments.length, 1);
    const text = toDOMString(input);
    const { signal } = requestOptions(options);
    checkRequest(text, ended, signal);
    return detection.detect(text, { expected: [...(this.#expected ?? [])], owner: this, signals: [ended, signal] });
  }

  /**
   * How much of the quota a text would take: its length, and at least 1.
   *
   * @param {string} input
   * @param {DetectOptions} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options = {}) {
    const measure = usageMeter(this.#destruction.signal, arguments);
    return measure();
  }

  /** Ends the detector; what is under way fails with `AbortError`. */
  destroy() {
    this.#destruction.destroy(this);
  }
}
exposeInterface(LanguageDetector, "LanguageDetector", {
  statics: ["create", "availability"],
  members: ["detect", "expectedInputLanguages", "measureInputUsage", "inputQuota", "destroy"],
});

/**
 * @param {string[]} expected
 * @param {Destruction} destruction
 */
function construct(expected, destruction) {
  return Reflect.construct(LanguageDetector, [CONSTRUCT, expected, destruction]);
}
