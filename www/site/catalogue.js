/**
 * The models that the pages offer: the site's own list, and, once the reader has asked for them, those of further lists.
 */
import { MODELS } from "../assets.js";
import { joinLists, modelSize } from "../library/catalogue.js";
import { MOZILLA_MODELS, loadCatalogue, storedBytes } from "../library/wanderwort.js";
import { stepsBetween } from "./parts.js";

/** @typedef {import("../library/catalogue.js").Catalogue} Catalogue */
/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

/** The storage key for whether the reader wants the models of further lists. */
const WANTED = "wanderwort more languages";

function wantsMore() {
  try {
    return localStorage.getItem(WANTED) === "yes";
  } catch {
    return false;
  }
}

/** Models, and how much of them has yet to be downloaded. */
export class SiteModels {
  /** @type {ModelEntry[]} */
  models = [];
  /** Addresses of the lists in use, for `Translator.create`. */
  lists = [MODELS];
  /** Addresses of lists that the reader may ask for: the site's list names them, or else they are Mozilla's. @type {string[]} */
  more = [];
  /** What is left out of the lists, and why. @type {string[]} */
  notes = [];
  /** Bytes to download by model. @type {Map<ModelEntry, number>} */
  #missing = new Map();

  /** Whether the lists that the reader may ask for are in use. */
  get hasMore() {
    return this.lists.length > 1;
  }

  /**
   * Loads the site's list, and the others if the reader has asked for them. Those that cannot be loaded are named in `notes`.
   * @throws {DOMException} `NetworkError` if the site's own list cannot be loaded
   */
  async load() {
    const own = await loadCatalogue(MODELS);
    // A site that wants only its own models has an empty list of lists.
    this.more = own.more ?? [...MOZILLA_MODELS];
    const isMore = wantsMore() && this.more.length > 0;
    this.lists = isMore ? [MODELS, ...this.more] : [MODELS];
    /** @type {(error: Error) => Catalogue} */
    const none = ({ message }) => ({ models: [], notes: [message] });
    const others = isMore ? [await loadCatalogue(this.more).catch(none)] : [];
    const all = joinLists([own, ...others]);
    this.models = all.models;
    this.notes = all.notes;
    await this.look();
  }

  /** Looks again at what is on this device. */
  async look() {
    const missing = async (/** @type {ModelEntry} */ model) =>
      /** @type {const} */ ([model, modelSize(model) - (await storedBytes(model))]);
    this.#missing = new Map(await Promise.all(this.models.map(missing)));
  }

  /** The models that are on this device. */
  get kept() {
    return this.models.filter((model) => this.#missing.get(model) === 0);
  }

  /**
   * Bytes to download before a pair can be translated, with the models that the reader has chosen for it; undefined if it cannot be.
   * @param {string} source
   * @param {string} target
   */
  missing(source, target) {
    const steps = stepsBetween(this.models, source, target);
    if (steps.length === 0) return undefined;
    let sum = 0;
    for (const { chosen } of steps) sum += this.#missing.get(chosen) ?? modelSize(chosen);
    return sum;
  }

  /** The languages that can be translated from, each once, in the order of the lists. */
  get sources() {
    return [...new Set(this.models.map((model) => model.source))];
  }

  /**
   * Whether one of the language's own models is on this device.
   * @param {string} source
   */
  isKept(source) {
    return this.models.some((model) => model.source === source && this.#missing.get(model) === 0);
  }
}

/**
 * Remembers whether the reader wants the models of further lists.
 * @param {boolean} wanted
 */
export function setWantsMore(wanted) {
  try {
    if (wanted) localStorage.setItem(WANTED, "yes");
    else localStorage.removeItem(WANTED);
  } catch {
    // Without storage the choice cannot be kept.
  }
}
