/**
 * The window of the toolbar's button.
 */
import { api } from "./api.js";
import { localize, message } from "./messages.js";
import { allModels } from "./known-models.js";
import { CONTENT_SCRIPT, allowEverywhere, allowSite, settingsChanged } from "./permissions.js";
import { askBackground, askFrames, askPage } from "./protocol.js";
import { changeSettings, readSettings } from "./settings.js";

/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

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
const never = element("never");
/** @type {HTMLInputElement} */
const both = element("both");
/** @type {HTMLInputElement} */
const language = element("language");

const POLL_MS = 200;

const names = new Intl.DisplayNames([navigator.language, "en"], { type: "language" });
const percent = new Intl.NumberFormat(navigator.language, { style: "percent" });

/** @type {ModelEntry[]} */
let models = [];
let tabId = 0;
/** Whether the page can be translated at all. */
let isReady = false;
/** What was found out about the page's language. */
let found = "";
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
  element("language-name").textContent = message("alwaysLanguage", nameOf(source.value));
  translate.disabled = fitting.length === 0 || !isReady;
}

/** @param {string} tag */
const nameOf = (tag) => names.of(tag) ?? tag;

/**
 * What all frames say together: those that their own script translates cannot be reached from the frame around them, and are.
 * @returns {Promise<any>} as one frame would say it
 */
async function stateOfFrames() {
  const results = await api.scripting.executeScript({
    target: { tabId, allFrames: true },
    func: () => /** @type {any} */ (globalThis).wanderwort?.state(),
  });
  const states = results.map((/** @type {any} */ { result }) => result).filter(Boolean);
  const [top] = states;
  const others = states.slice(1).filter((/** @type {any} */ state) => state.active);
  const progress = { translated: 0, waiting: 0, left: 0, unreachable: -others.length };
  for (const state of [top, ...others]) {
    for (const key of /** @type {(keyof typeof progress)[]} */ (Object.keys(progress))) {
      progress[key] += state?.progress?.[key] ?? 0;
    }
  }
  const problem = states.map((/** @type {any} */ state) => state.problem).find(Boolean) ?? "";
  return { ...top, problem, progress };
}

/**
 * What has become of the page, and nothing that is not so.
 * @param {{translated: number, waiting: number, left: number, unreachable: number}} progress
 */
function outcome({ translated, left, unreachable }) {
  if (translated > 0) {
    return unreachable > 0 ? message("translatedBut", String(unreachable)) : message("translated");
  }
  if (left > 0) return message("otherLanguage");
  return message(unreachable > 0 ? "onlyFrames" : "noText");
}

async function show() {
  const { active, stale, progress: counts, loaded, problem } = await stateOfFrames();
  translate.hidden = active;
  restore.hidden = !active;
  progress.hidden = true;
  if (stale) {
    status.textContent = message("stale");
    translate.disabled = true;
  } else if (problem) status.textContent = problem;
  else if (!active) status.textContent = found;
  else if (loaded < 1) {
    status.textContent = message("loading", percent.format(loaded));
    progress.value = loaded;
    progress.hidden = false;
  } else if (counts.waiting > 0) {
    const share = counts.translated / (counts.translated + counts.waiting);
    status.textContent = message("translating", percent.format(share));
    progress.value = share;
    progress.hidden = false;
  } else status.textContent = outcome(counts);
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
  localize(document);
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  tabId = tab.id;
  models = await allModels();
  settings = await readSettings();
  try {
    await api.scripting.executeScript({ target: { tabId, allFrames: true }, files: [CONTENT_SCRIPT] });
  } catch {
    status.textContent = message("notAllowed");
    fill(
      source,
      models.map((model) => model.source),
    );
    fillTargets();
    return;
  }
  const state = await askPage(tabId, { type: "state" });
  const pair = state.pair ?? (await askBackground({ type: "pair", sample: await askPage(tabId, { type: "sample" }) }));
  const sources = models.map((model) => model.source);
  isReady = true;
  // The page's language is shown also where no model has it, and can be corrected.
  fill(source, pair && !sources.includes(pair.source) ? [pair.source, ...sources] : sources, pair?.source);
  fillTargets(pair?.target);
  if (pair && "detected" in pair && pair.detected)
    found = message(pair.isWanted ? "pageIn" : "noModel", nameOf(pair.detected));
  const [where] = await api.scripting.executeScript({ target: { tabId }, func: () => location.origin });
  origin = where.result;
  element("site-name").textContent = message("alwaysSite", origin.replace(/^https?:\/\//, ""));
  site.checked = origin in settings.sites;
  never.checked = settings.never.includes(origin);
  language.checked = source.value in settings.languages;
  both.checked = (settings.ways[origin] ?? settings.show) === "both";
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
  if (lost.length > 0) status.textContent = message("lost", lost.join(", "));
  settings = await readSettings();
  return isOn;
}

const way = () => (both.checked ? "both" : "translation");

both.addEventListener(
  "change",
  guarded(async () => {
    const { [origin]: _, ...others } = settings.ways;
    await changeSettings({ ways: way() === settings.show ? others : { ...others, [origin]: way() } });
    settings = await readSettings();
    await askFrames(tabId, { type: "show", show: way() });
  }),
);
never.addEventListener(
  "change",
  guarded(async () => {
    const others = settings.never.filter((other) => other !== origin);
    await changeSettings({ never: never.checked ? [...others, origin] : others });
    settings = await readSettings();
  }),
);
translate.addEventListener(
  "click",
  guarded(async () => {
    await askFrames(tabId, {
      type: "translate",
      source: source.value,
      target: target.value,
      show: way(),
    });
    await changeSettings({ target: target.value });
    restore.hidden = false;
    restore.focus();
    translate.hidden = true;
  }),
);
restore.addEventListener(
  "click",
  guarded(async () => {
    await askFrames(tabId, { type: "restore" });
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
