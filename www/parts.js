/**
 * What the pages for text and for documents have in common: languages to choose from, loading, and what went wrong.
 */

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

/** What is shown while a model is loaded. */
export const progress = {
  box: element("loading", HTMLElement),
  bar: element("loading-bar", HTMLProgressElement),
  text: element("loading-text", HTMLElement),
};

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });

/** @param {string} tag */
export const languageName = (tag) => languageNames.of(tag) ?? tag;

/**
 * @param {HTMLSelectElement} select
 * @param {string[]} tags each offered once
 * @param {string} [chosen]
 */
export function offerLanguages(select, tags, chosen) {
  select.replaceChildren(...[...new Set(tags)].map((tag) => new Option(languageName(tag), tag, false, tag === chosen)));
  select.disabled = select.options.length < 2;
}

/** Loading of which nobody knows yet how far it is. @param {string} text */
export function showProgress(text) {
  progress.box.hidden = false;
  progress.bar.removeAttribute("value");
  progress.text.textContent = text;
}

/** @param {string} title @param {unknown} error */
export function showProblem(title, error) {
  console.error(error);
  progress.box.hidden = true;
  problemTitle.textContent = title;
  problemText.textContent = error instanceof Error ? error.message : String(error);
  problem.hidden = false;
}

export function hideProblem() {
  problem.hidden = true;
}
