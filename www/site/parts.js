/**
 * What the pages for text and for documents have in common: languages to choose from, and what went wrong.
 */
import { findModels, findRoute, modelSize } from "../library/catalogue.js";
import { offerSearch } from "./language-search.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

/**
 * @template {typeof HTMLElement} T
 * @param {string} id
 * @param {T} type
 * @returns {InstanceType<T>}
 */
export function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id} is missing`);
  return /** @type {InstanceType<T>} */ (found);
}

const problem = element("problem", HTMLElement);
const problemTitle = element("problem-title", HTMLElement);
const problemText = element("problem-text", HTMLElement);

/** In the reader's own language. */
const languageNames = new Intl.DisplayNames([...(navigator.languages ?? []), "en"], { type: "language" });

/** @param {string} tag */
export const languageName = (tag) => languageNames.of(tag) ?? tag;

/** The value of the choice that leaves the language of a text to be detected. */
export const DETECT = "detect";

/**
 * Offers languages by their names: those on this device first, in their order, then the others by name, with what has to be
 * downloaded.
 * @param {HTMLSelectElement} select
 * @param {{tag: string, missing: number}[]} languages `missing`: bytes to download, NaN if that depends
 * @param {{chosen?: string, detect?: boolean}} [options] `detect`: whether the language can be left to be detected
 */
export function offerLanguages(select, languages, { chosen, detect = false } = {}) {
  const option = (/** @type {{tag: string, missing: number}} */ { tag, missing }) => {
    const size = missing > 0 ? ` · ${Math.max(0.1, missing / 1e6).toFixed(missing < 1e7 ? 1 : 0)} MB` : "";
    return new Option(languageName(tag) + size, tag, false, tag === chosen);
  };
  const unique = [...new Map(languages.map((language) => [language.tag, language])).values()];
  const here = unique.filter(({ missing }) => missing === 0);
  const names = new Intl.Collator(navigator.languages);
  const others = unique
    .filter(({ missing }) => missing !== 0)
    .sort((a, b) => names.compare(languageName(a.tag), languageName(b.tag)));
  const group = (/** @type {string} */ label, /** @type {typeof unique} */ members) => {
    const element = Object.assign(document.createElement("optgroup"), { label });
    element.append(...members.map(option));
    return element;
  };
  const isMixed = here.length > 0 && others.length > 0;
  const entries = isMixed
    ? [group("On this device", here), group("Download required", others)]
    : [...here, ...others].map(option);
  const found = detect && unique.length > 1 ? [new Option("Detect language", DETECT, false, chosen === DETECT)] : [];
  select.replaceChildren(...found, ...entries);
  select.disabled = select.options.length < 2;
  offerSearch(
    select,
    [...here, ...others].map(({ tag }) => ({ tag, name: languageName(tag) })),
  );
}

/** @param {string} source @param {string} target */
const choice = (source, target) => `wanderwort model ${source} ${target}`;

/** What the reader has chosen in this visit. @type {Map<string, string>} */
const chosenNow = new Map();

/**
 * The name of the model that the reader wants for a pair of languages: the one chosen in this visit, or one from the address (`?model=`), or the one
 * chosen last; none if the list does not have it for the pair.
 * @param {ModelEntry[]} models
 * @param {string} source
 * @param {string} target
 * @returns {string | undefined}
 */
function wantedModel(models, source, target) {
  /** @type {(string | null | undefined)[]} */
  const wanted = [chosenNow.get(choice(source, target)), ...new URLSearchParams(location.search).getAll("model")];
  try {
    wanted.push(localStorage.getItem(choice(source, target)));
  } catch {
    // Storage is closed to this page.
  }
  const names = findModels(models, source, target).map(({ name }) => name);
  return wanted.find((name) => typeof name === "string" && names.includes(name)) ?? undefined;
}

/**
 * A step of the way from one language to another: the models to choose from, and which is chosen.
 * @typedef {{source: string, target: string, models: ModelEntry[], chosen: ModelEntry}} Step
 */

/**
 * The steps between two languages: one, or two by way of a third language. The choice for a step applies to that pair of languages, whether the
 * pair is translated on its own or on the way to another.
 * @param {ModelEntry[]} models
 * @param {string} source
 * @param {string} target
 * @returns {Step[]} none if there is no way
 */
export function stepsBetween(models, source, target) {
  const route = findRoute(models, source, target);
  return route.map((first) => {
    const pair = route.length > 1 ? { source: first.source, target: first.target } : { source, target };
    const offered = findModels(models, pair.source, pair.target);
    const wanted = wantedModel(models, pair.source, pair.target);
    return { ...pair, models: offered, chosen: offered.find(({ name }) => name === wanted) ?? first };
  });
}

/**
 * Remembers a reader's choice for the next visit.
 * @param {string} source
 * @param {string} target
 * @param {string} name
 */
export function rememberModel(source, target, name) {
  chosenNow.set(choice(source, target), name);
  try {
    localStorage.setItem(choice(source, target), name);
  } catch {
    // Without storage the choice lasts for this visit.
  }
}

/**
 * Offers the models of a pair by name and size, the smallest and the largest labelled as such; hidden where there is nothing to choose.
 * @param {HTMLSelectElement} select
 * @param {ModelEntry[]} models
 * @param {string} [chosen]
 */
export function offerModels(select, models, chosen) {
  const sizes = models.map(modelSize);
  const option = (/** @type {ModelEntry} */ model) => {
    const size = modelSize(model);
    const kind =
      size === Math.min(...sizes) ? "Smaller and faster · " : size === Math.max(...sizes) ? "Higher quality · " : "";
    // Models of the same size are told apart only by their names.
    const label = sizes.filter((other) => other === size).length === 1 && models.length > 1 ? kind : "";
    return new Option(
      `${label}${model.name} · ${(size / 1e6).toFixed(1)} MB`,
      model.name,
      false,
      model.name === chosen,
    );
  };
  select.replaceChildren(...models.map(option));
  select.hidden = models.length < 2;
}

/**
 * Hides something. The focus would be lost with it, so it moves on.
 * @param {HTMLElement} part
 * @param {HTMLElement} next what gets the focus
 */
export function hide(part, next) {
  if (part.contains(document.activeElement)) next.focus();
  part.hidden = true;
}

/** @param {string} title @param {unknown} error */
export function showProblem(title, error) {
  console.error(error);
  const text = error instanceof Error ? error.message : String(error);
  // What is there already is not read out again.
  if (problemTitle.textContent !== title) problemTitle.textContent = title;
  if (problemText.textContent !== text) problemText.textContent = text;
  problem.hidden = false;
}

/** @param {HTMLElement} next what gets the focus if it is on the button there */
export function hideProblem(next) {
  hide(problem, next);
}
