/**
 * Which models serve a pair of languages: one, or two by way of a third language.
 */
import { fit } from "./languages.js";

/** @typedef {import("../catalogue.js").ModelEntry} ModelEntry */

/** The language in the middle, where there is a choice: nearly all models are from or to it. */
const MIDDLE = "en";

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
 * The models that, one after the other, lead from one language to another: one if there is one for the pair, else two.
 *
 * @param {ModelEntry[]} catalogue
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 * @returns {ModelEntry[]} none if there is no route
 */
export function findRoute(catalogue, source, target) {
  const [direct] = findModels(catalogue, source, target);
  if (direct) return [direct];
  if (fit(source, target) !== undefined) return [];
  // A language whose own model takes the text is better than one of the same name elsewhere.
  const firsts = catalogue
    .filter((model) => fit(model.source, source) !== undefined && fit(model.source, model.target) === undefined)
    .sort((a, b) => Number(fit(b.target, MIDDLE) !== undefined) - Number(fit(a.target, MIDDLE) !== undefined));
  for (const first of firsts) {
    const [second] = findModels(catalogue, first.target, target);
    const [best] = findModels(catalogue, source, first.target);
    if (second && best) return [best, second];
  }
  return [];
}

/**
 * The models with these names that, one after the other, lead from one language to another.
 *
 * @param {ModelEntry[]} catalogue
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 * @param {string[]} names one or two
 * @returns {ModelEntry[]} none if there are no such models
 */
export function namedRoute(catalogue, source, target, [first, second, ...others]) {
  if (second === undefined)
    return findModels(catalogue, source, target)
      .filter(({ name }) => name === first)
      .slice(0, 1);
  if (others.length > 0) return [];
  for (const one of catalogue) {
    if (one.name !== first || fit(one.source, source) === undefined) continue;
    const two = findModels(catalogue, one.target, target).find(({ name }) => name === second);
    if (two) return [one, two];
  }
  return [];
}

/**
 * The languages that can be reached, directly or by way of another.
 * @param {ModelEntry[]} catalogue
 * @param {string} source BCP 47 language tag
 * @returns {string[]} BCP 47 language tags, those with a model of their own first
 */
export function targetsFrom(catalogue, source) {
  const direct = catalogue.filter((model) => fit(model.source, source) !== undefined).map((model) => model.target);
  const targets = new Set(direct);
  for (const middle of direct) {
    for (const model of catalogue) {
      if (fit(model.source, middle) !== undefined && fit(model.target, source) === undefined) targets.add(model.target);
    }
  }
  return [...targets];
}
