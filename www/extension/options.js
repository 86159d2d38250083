/**
 * The options page: models, and what is translated without asking.
 */
import { modelSize } from "../library/catalogue.js";
import { memoryBudget } from "../library/budget.js";
import { offerChoices } from "./choices.js";
import { bestRoute, isImported, pairKey } from "./known-models.js";
import { languageName } from "./language.js";
import { localize, megabytes, message } from "./messages.js";
import { allModels, deleteModel, importModel, importedModels, installModel, storedBytes } from "./models.js";
import { allowEverywhere, allowModels, settingsChanged } from "./permissions.js";
import { offerReads, presetReads } from "./reads.js";
import { changeSettings, readSettings } from "./settings.js";

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));

/** @param {unknown} error */
function fail(error) {
  console.error(error);
  const problem = element("problem");
  problem.textContent = error instanceof Error ? error.message : String(error);
  problem.hidden = false;
}

/** Called after a change to what is translated without asking. */
async function fitPermissions() {
  const lost = await settingsChanged();
  if (lost.length > 0) throw new Error(message("lostUntil", lost.join(", ")));
}

/** @param {() => Promise<void>} action */
const guarded = (action) => () => {
  element("problem").hidden = true;
  action().catch(fail);
};

/** @param {...(string | Node)} cells */
function row(...cells) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    const field = document.createElement("td");
    field.append(cell);
    line.append(field);
  }
  return line;
}

/** @param {string} label @param {() => Promise<void>} action */
function button(label, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", guarded(action));
  return made;
}

/** The action that takes long, one at a time. @type {AbortController | null} */
let job = null;

/**
 * Shows the progress of an action, with a button that ends it.
 * @param {string} text
 * @param {(watch: import("./models.js").Watch) => Promise<void>} action
 */
async function run(text, action) {
  if (job) throw new Error(message("busy"));
  const { signal } = (job = new AbortController());
  /** @type {HTMLProgressElement} */
  const bar = element("job-bar");
  bar.removeAttribute("value");
  element("job-text").textContent = text;
  element("job").hidden = false;
  // The button that began it may be gone when the table is shown again.
  element("job-cancel").focus();
  try {
    await action({ signal, progress: (done, total) => (bar.value = total > 0 ? done / total : 1) });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    job = null;
    element("job").hidden = true;
    await showModels();
    element("models").focus();
  }
}

/**
 * Replaces what a list or a table shows. The focus, which would be lost with a button, goes to the one in its place.
 * @param {HTMLElement} box one that can have the focus where it has no buttons
 * @param {Node[]} rows
 */
function replaceRows(box, rows) {
  const place = [...box.querySelectorAll("button")].findIndex((button) => button === document.activeElement);
  box.replaceChildren(...rows);
  if (place < 0) return;
  const buttons = box.querySelectorAll("button");
  (buttons[Math.min(place, buttons.length - 1)] ?? box).focus();
}

async function showModels() {
  const usable = await allModels();
  // Imported ones with a part missing are there to be deleted.
  const models = [...(await importedModels()), ...usable.filter((model) => !isImported(model))];
  let sum = 0;
  /** @type {Node[]} */
  const rows = [];
  for (const model of models) {
    const kept = await storedBytes(model);
    sum += kept;
    const size = modelSize(model);
    const from = languageName(model.source);
    const to = languageName(model.target);
    const pair = `${from}–${to}`;
    const remove = async () => {
      await deleteModel(model);
      await showModels();
    };
    const install = () => run(message("installing", pair), (watch) => installModel(model, watch));
    const actions = document.createElement("span");
    if (kept < size && !isImported(model)) actions.append(button(message("install", pair), install));
    if (kept > 0 || isImported(model)) actions.append(button(message("delete", pair), remove));
    rows.push(row(from, to, model.name, megabytes(size), kept === 0 ? message("keptNot") : megabytes(kept), actions));
  }
  replaceRows(element("models"), rows);
  element("storage").textContent = message("storage", megabytes(sum));
  await showChoices(usable);
}

/**
 * Where a pair of languages has several models, the one that serves it can be chosen, if one of them is here.
 * @param {import("../library/catalogue.js").ModelEntry[]} models
 */
async function showChoices(models) {
  /** @type {Map<string, import("../library/catalogue.js").ModelEntry>} */
  const chosen = new Map();
  for (const model of models) {
    const key = pairKey(model);
    if (chosen.has(key) || (await storedBytes(model)) === 0) continue;
    for (const best of await bestRoute(model.source, model.target, models)) chosen.set(key, best);
  }
  offerChoices(element("choices"), [...chosen.values()], models, async ({ key, name }) => {
    const { choices } = await readSettings();
    await changeSettings({ choices: { ...choices, [key]: name } });
  });
}

async function showAlways() {
  const { sites, languages, never } = await readSettings();
  /** @param {string} label @param {() => Promise<void>} forget */
  const item = (label, forget) => {
    const line = document.createElement("li");
    const action = async () => {
      await forget();
      await fitPermissions().finally(showAlways);
    };
    line.append(`${label} `, button(message("forget", label), action));
    return line;
  };
  const lines = [
    ...Object.keys(sites).map((origin) =>
      item(origin, async () => {
        delete sites[origin];
        await changeSettings({ sites });
      }),
    ),
    ...Object.keys(languages).map((tag) =>
      item(message("pagesIn", languageName(tag)), async () => {
        delete languages[tag];
        await changeSettings({ languages });
      }),
    ),
  ];
  const none = document.createElement("li");
  none.textContent = message("alwaysNone");
  replaceRows(element("always"), lines.length > 0 ? lines : [none]);
  replaceRows(
    element("never"),
    never.map((origin) => item(origin, () => changeSettings({ never: never.filter((other) => other !== origin) }))),
  );
  const section = element("never-section");
  // It disappears together with its last button.
  if (never.length === 0 && section.contains(document.activeElement)) element("always").focus();
  section.hidden = never.length === 0;
}

async function importFiles() {
  const tags = ["import-source", "import-target"].map((id) => {
    /** @type {HTMLInputElement} */
    const input = element(id);
    const value = input.value.trim();
    if (value === "") throw new Error(message("sayLanguages"));
    return Intl.getCanonicalLocales(value)[0] ?? value;
  });
  /** @type {HTMLInputElement} */
  const chosen = element("import-files");
  const files = [...(chosen.files ?? [])];
  if (files.length === 0) throw new Error(message("chooseFiles"));
  const pair = { source: tags[0] ?? "", target: tags[1] ?? "" };
  await run(message("importing", files.map(({ name }) => name).join(", ")), (watch) => importModel(files, pair, watch));
}

async function start() {
  localize(document);
  const settings = await readSettings();
  /** @type {HTMLInputElement} */
  const offer = element("offer");
  /** @type {HTMLInputElement} */
  const both = element("both");
  /** @type {HTMLInputElement} */
  const idle = element("idle");
  /** @type {HTMLInputElement} */
  const list = element("list");
  /** @type {HTMLInputElement} */
  const more = element("more");
  more.checked = settings.more;
  more.addEventListener(
    "change",
    guarded(async () => {
      if (more.checked) more.checked = await allowModels();
      await changeSettings({ more: more.checked });
      await fitPermissions();
      await showModels();
    }),
  );
  offer.checked = settings.offer;
  both.checked = settings.show === "both";
  both.addEventListener(
    "change",
    guarded(() => changeSettings({ show: both.checked ? "both" : "translation" })),
  );
  idle.value = String(settings.idleMinutes);
  /** @type {HTMLInputElement} */
  const memory = element("memory");
  memory.placeholder = String(memoryBudget() / 1e6);
  memory.value = settings.memory > 0 ? String(settings.memory) : "";
  memory.addEventListener(
    "change",
    guarded(() => changeSettings({ memory: Math.max(0, Number(memory.value) || 0) })),
  );
  const reads = settings.reads.length > 0 ? settings.reads : presetReads();
  offerReads(element("reads"), reads, (reads) => changeSettings({ reads, target: "" }).catch(fail));
  list.value = settings.models;
  offer.addEventListener(
    "change",
    guarded(async () => {
      if (offer.checked) offer.checked = await allowEverywhere();
      await changeSettings({ offer: offer.checked });
      await fitPermissions().finally(showAlways);
    }),
  );
  idle.addEventListener(
    "change",
    guarded(async () => {
      const minutes = Math.min(120, Math.max(1, Number(idle.value) || 5));
      idle.value = String(minutes);
      await changeSettings({ idleMinutes: minutes });
    }),
  );
  list.addEventListener(
    "change",
    guarded(async () => {
      await changeSettings({ models: new URL(list.value).href });
      await showModels();
    }),
  );
  element("import").addEventListener("click", guarded(importFiles));
  element("job-cancel").addEventListener("click", () => job?.abort(new DOMException("Cancelled.", "AbortError")));
  await showModels();
  await showAlways();
}

start().catch(fail);
