/**
 * The window of the toolbar's button.
 */
import { api } from "./api.js";
import { allModels } from "./models.js";
import { CONTENT_SCRIPT, allowEverywhere, allowSite, settingsChanged } from "./permissions.js";
import { changeSettings, readSettings } from "./settings.js";

/** @typedef {import("../catalogue.js").ModelEntry} ModelEntry */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));

/** @type {HTMLSelectElement} */
const source = element("source");
/** @type {HTMLSelectElement} */
const target = element("target");
/** @type {HTMLButtonElement} */
const translate = element("translate");
/** @type {HTMLButtonElement} */
const restore = element("restore");
/** @type {HTMLProgressElement} */
const progress = element("progress");
const status = element("status");
/** @type {HTMLInputElement} */
const site = element("site");
/** @type {HTMLInputElement} */
const language = element("language");

const POLL_MS = 150;

const names = new Intl.DisplayNames([navigator.language, "en"], { type: "language" });
const percent = new Intl.NumberFormat(navigator.language, { style: "percent" });

/** @type {ModelEntry[]} */
let models = [];
let tabId = 0;
let origin = "";
/** @type {import("./settings.js").Settings} */
let settings;

/** @param {HTMLSelectElement} select @param {string[]} tags @param {string} [chosen] */
function fill(select, tags, chosen) {
  select.replaceChildren(
    ...[...new Set(tags)].map((tag) => new Option(names.of(tag) ?? tag, tag, false, tag === chosen)),
  );
  select.disabled = select.options.length < 2;
}

/** @param {string} [chosen] */
function fillTargets(chosen) {
  const fitting = models.filter((model) => model.source === source.value);
  fill(
    target,
    fitting.map((model) => model.target),
    chosen,
  );
  element("language-name").textContent = `pages in ${names.of(source.value)}`;
}

/** @param {unknown} message */
const tell = (message) => api.tabs.sendMessage(tabId, message, { frameId: 0 });

async function show() {
  const state = await tell({ type: "state" });
  const { active, progress: counts, loaded, problem } = state;
  translate.hidden = active;
  restore.hidden = !active;
  progress.hidden = true;
  if (problem) status.textContent = problem;
  else if (!active) status.textContent = "";
  else if (loaded < 1) {
    status.textContent = `Loading the model: ${percent.format(loaded)}`;
    progress.value = loaded;
    progress.hidden = false;
  } else if (counts.waiting > 0) {
    const share = counts.translated / (counts.translated + counts.waiting);
    status.textContent = `Translating: ${percent.format(share)}`;
    progress.value = share;
    progress.hidden = false;
  } else status.textContent = "This page is translated.";
  setTimeout(() => show().catch(() => {}), POLL_MS);
}

/** @param {unknown} error */
function fail(error) {
  console.error(error);
  status.textContent = error instanceof Error ? error.message : String(error);
}

/** @param {() => Promise<void>} action */
const guarded = (action) => () => action().catch(fail);

async function start() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  tabId = tab.id;
  models = await allModels();
  settings = await readSettings();
  try {
    await api.scripting.executeScript({ target: { tabId, allFrames: true }, files: [CONTENT_SCRIPT] });
  } catch {
    status.textContent = "The browser does not let extensions change this page.";
    fill(
      source,
      models.map((model) => model.source),
    );
    fillTargets();
    return;
  }
  const state = await tell({ type: "state" });
  const pair = state.pair ?? (await api.runtime.sendMessage({ type: "pair", sample: await tell({ type: "sample" }) }));
  fill(
    source,
    models.map((model) => model.source),
    pair?.source,
  );
  fillTargets(pair?.target);
  const [where] = await api.scripting.executeScript({ target: { tabId }, func: () => location.origin });
  origin = where.result;
  element("site-name").textContent = origin.replace(/^https?:\/\//, "");
  site.checked = origin in settings.sites;
  language.checked = source.value in settings.languages;
  translate.disabled = false;
  translate.focus();
  await show();
}

/**
 * Switches something on that needs a permission, or off.
 *
 * Browsers take the question only at once after the click, and some close this window with it. So the answer is not waited for: what is wanted
 * is stored, and the background hears of the permission too.
 *
 * @param {Partial<import("./settings.js").Settings>} off
 * @param {Partial<import("./settings.js").Settings>} on
 * @param {boolean} isWanted
 * @param {() => Promise<boolean>} ask
 * @returns {Promise<boolean>} whether it is on
 */
async function change(off, on, isWanted, ask) {
  const stored = changeSettings(isWanted ? on : off);
  const isOn = isWanted && (await ask().catch((error) => (fail(error), false)));
  await stored;
  if (isWanted && !isOn) await changeSettings(off);
  const lost = await settingsChanged();
  if (lost.length > 0) status.textContent = `No longer translated always: ${lost.join(", ")}`;
  settings = await readSettings();
  return isOn;
}

translate.addEventListener(
  "click",
  guarded(async () => {
    await api.tabs.sendMessage(tabId, { type: "translate", source: source.value, target: target.value });
    await changeSettings({ target: target.value });
    restore.hidden = false;
    restore.focus();
    translate.hidden = true;
  }),
);
restore.addEventListener(
  "click",
  guarded(async () => {
    await api.tabs.sendMessage(tabId, { type: "restore" });
  }),
);
source.addEventListener("change", () => fillTargets(target.value));
site.addEventListener(
  "change",
  guarded(async () => {
    const { [origin]: _, ...others } = settings.sites;
    const pair = { source: source.value, target: target.value };
    site.checked = await change({ sites: others }, { sites: { ...others, [origin]: pair } }, site.checked, () =>
      allowSite(origin),
    );
  }),
);
language.addEventListener(
  "change",
  guarded(async () => {
    const { [source.value]: _, ...others } = settings.languages;
    const languages = { ...others, [source.value]: target.value };
    language.checked = await change({ languages: others }, { languages }, language.checked, allowEverywhere);
  }),
);

start().catch(fail);
