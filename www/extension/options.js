/**
 * The options page: models, and what is translated without being asked.
 */
import { allModels, deleteModel, importModel, importedModels, installModel, storedBytes } from "./models.js";
import { allowEverywhere, settingsChanged } from "./permissions.js";
import { changeSettings, readSettings } from "./settings.js";

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));

const names = new Intl.DisplayNames([navigator.language, "en"], { type: "language" });

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {unknown} error */
function fail(error) {
  console.error(error);
  const problem = element("problem");
  problem.textContent = error instanceof Error ? error.message : String(error);
  problem.hidden = false;
}

/** After a change of what is translated without being asked. */
async function fitPermissions() {
  const lost = await settingsChanged();
  if (lost.length > 0) throw new Error(`No longer translated always, until you say so again: ${lost.join(", ")}`);
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

/** What takes long, one thing at a time. @type {AbortController | null} */
let job = null;

/**
 * Shows how far something is, with a button that ends it.
 * @param {string} text
 * @param {(watch: import("./models.js").Watch) => Promise<void>} action
 */
async function run(text, action) {
  if (job) throw new Error("Something is being done already: wait for it, or cancel it.");
  const { signal } = (job = new AbortController());
  /** @type {HTMLProgressElement} */
  const bar = element("job-bar");
  bar.removeAttribute("value");
  element("job-text").textContent = text;
  element("job").hidden = false;
  // The button that began it may be gone when the table is shown anew.
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

async function showModels() {
  const models = await allModels();
  const imported = new Set((await importedModels()).map((model) => model.files[0]?.sha256));
  let sum = 0;
  /** @type {Node[]} */
  const rows = [];
  for (const model of models) {
    const kept = await storedBytes(model);
    sum += kept;
    const size = model.files.reduce((total, file) => total + file.size, 0);
    const from = names.of(model.source) ?? model.source;
    const to = names.of(model.target) ?? model.target;
    const remove = async () => {
      await deleteModel(model);
      await showModels();
    };
    const isImported = imported.has(model.files[0]?.sha256);
    const install = () => run(`Installing ${from}–${to}`, (watch) => installModel(model, watch));
    const actions = document.createElement("span");
    if (kept < size && !isImported) actions.append(button(`Install ${from}–${to}`, install));
    if (kept > 0 || isImported) actions.append(button(`Delete ${from}–${to}`, remove));
    rows.push(row(from, to, model.name, megabytes(size), kept === 0 ? "no" : megabytes(kept), actions));
  }
  element("models").replaceChildren(...rows);
  element("storage").textContent = `Models take ${megabytes(sum)} of this device's storage.`;
}

async function showAlways() {
  const { sites, languages } = await readSettings();
  /** @param {string} label @param {() => Promise<void>} forget */
  const item = (label, forget) => {
    const line = document.createElement("li");
    const action = async () => {
      await forget();
      await fitPermissions().finally(showAlways);
    };
    line.append(`${label} `, button(`Forget ${label}`, action));
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
      item(`Pages in ${names.of(tag)}`, async () => {
        delete languages[tag];
        await changeSettings({ languages });
      }),
    ),
  ];
  const none = document.createElement("li");
  none.textContent = "Nothing yet: the button's window has boxes for it.";
  element("always").replaceChildren(...(lines.length > 0 ? lines : [none]));
}

async function importFiles() {
  const tags = ["import-source", "import-target"].map((id) => {
    /** @type {HTMLInputElement} */
    const input = element(id);
    const value = input.value.trim();
    if (value === "") throw new Error("Say from which language to which the model translates.");
    return Intl.getCanonicalLocales(value)[0] ?? value;
  });
  /** @type {HTMLInputElement} */
  const chosen = element("import-files");
  const files = [...(chosen.files ?? [])];
  if (files.length === 0) throw new Error("Choose the model's files.");
  const pair = { source: tags[0] ?? "", target: tags[1] ?? "" };
  await run(`Importing ${files.map(({ name }) => name).join(", ")}`, (watch) => importModel(files, pair, watch));
}

async function start() {
  const settings = await readSettings();
  /** @type {HTMLInputElement} */
  const offer = element("offer");
  /** @type {HTMLInputElement} */
  const idle = element("idle");
  /** @type {HTMLInputElement} */
  const list = element("list");
  offer.checked = settings.offer;
  idle.value = String(settings.idleMinutes);
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
