/**
 * The options page: models, and what is translated without being asked.
 */
import { allModels, deleteModel, importModel, importedModels, storedBytes } from "./models.js";
import { allowEverywhere } from "./permissions.js";
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
    const action = kept > 0 || isImported ? button(`Delete ${from}–${to}`, remove) : "";
    rows.push(row(from, to, model.name, megabytes(size), kept === 0 ? "no" : megabytes(kept), action));
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
      await showAlways();
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
  await importModel(files, { source: tags[0] ?? "", target: tags[1] ?? "" });
  await showModels();
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
  await showModels();
  await showAlways();
}

start().catch(fail);
