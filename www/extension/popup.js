/**
 * The window of the toolbar's button.
 */
import { api } from "./api.js";
import { isIdentity, targetsFrom } from "../library/catalogue.js";
import { offerChoices } from "./choices.js";
import { Download } from "./download.js";
import { allModels, bestRoute, lookUp, missingBytes } from "./known-models.js";
import { languageName } from "./language.js";
import { locale, localize, megabytes, message } from "./messages.js";
import {
  CONTENT_SCRIPT,
  allowEverywhere,
  allowModels,
  allowSite,
  mayFetchModels,
  settingsChanged,
} from "./permissions.js";
import { sayProblem } from "./problems.js";
import { askBackground, askFrames, askPage } from "./protocol.js";
import { changeSettings, readSettings, wantedTarget } from "./settings.js";

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
const download = element("download");
/** @type {HTMLButtonElement} */
const look = element("look");
/** @type {HTMLButtonElement} */
const cancel = element("cancel");
/** @type {HTMLButtonElement} */
const restore = element("restore");
/** @type {HTMLProgressElement} */
const progress = element("progress");
const status = element("status");
const amount = element("amount");
/** @type {HTMLInputElement} */
const site = element("site");
/** @type {HTMLInputElement} */
const never = element("never");
/** @type {HTMLInputElement} */
const both = element("both");
/** @type {HTMLInputElement} */
const language = element("language");

const POLL_MS = 200;

/** Lists older than this are looked up again. */
const DAY_MS = 86_400_000;

const percent = new Intl.NumberFormat(locale(), { style: "percent" });

/** @type {ModelEntry[]} */
let models = [];
let tabId = 0;
/** Whether the page can be translated at all. */
let isReady = false;
/** Tells this page from others that the tab shows. */
let page = "";
/** What was found out about the page's language. */
let found = "";
/** Whether models are offered for the page: not where the reader reads its language, unless other languages are chosen. */
let isOffered = true;
/** What translates between the chosen languages. @type {ModelEntry[]} */
let route = [];
/** How many bytes of it have to be downloaded first. */
let missing = 0;
/** Whether more models can be looked for. */
let canLook = false;
let fitting = 0;
/** The download for this tab, if one is under way. @type {Download | null} */
let job = null;
let jobProblem = "";
/** Whether the page is translated. */
let isActive = false;
let origin = "";
/** @type {import("./settings.js").Settings} */
let settings;

/** @param {HTMLSelectElement} select @param {string[]} tags @param {string} [chosen] */
function fill(select, tags, chosen) {
  const collator = new Intl.Collator(locale());
  const sorted = [...new Set(tags)].sort((a, b) => collator.compare(languageName(a), languageName(b)));
  select.replaceChildren(...sorted.map((tag) => new Option(languageName(tag), tag, false, tag === chosen)));
  select.disabled = select.options.length < 2;
}

/** @param {string} [chosen] */
async function fillTargets(chosen) {
  const { value } = source;
  const reachable = value === "" ? [] : targetsFrom(models, value);
  // Languages that the reader reads are offered even where there is no model yet.
  const wanted = [wantedTarget(settings), ...settings.reads].filter(
    (tag) => !isIdentity(tag, value || "und") && !reachable.some((other) => isIdentity(other, tag)),
  );
  fill(target, [...wanted, ...reachable], chosen);
  element("language-name").textContent = message("alwaysLanguage", languageName(value));
  language.checked = value in settings.languages;
  await fit();
}

/** Finds out what the chosen languages need. */
async function fit() {
  const own = ++fitting;
  const [from, to] = [source.value, target.value];
  const found = from === "" || to === "" ? [] : await bestRoute(from, to, models);
  const bytes = await missingBytes(found);
  // The list was asked for once, and was here.
  const isLooked = settings.more && settings.looked > 0 && (await mayFetchModels());
  if (own !== fitting) return;
  [route, missing, canLook] = [found, bytes, found.length === 0 && !isLooked];
  offerChoices(element("choices"), found, models, async ({ key, name }) => {
    await changeSettings({ choices: { ...settings.choices, [key]: name } });
    settings = await readSettings();
    await fit();
  });
  showNeed();
}

/** Says what the chosen languages need, before anything is fetched. */
function showNeed() {
  const [from, to] = [languageName(source.value), languageName(target.value)];
  const hosts = new Set(route.map(({ files }) => new URL(files[0]?.url ?? location.href).host));
  const [, second] = route;
  const by = second ? message("byWayOf", languageName(second.source)) : "";
  const text = () => {
    if (!isReady || isActive || job || !isOffered) return "";
    if (canLook) return message("lookHelp", from, to);
    if (route.length === 0) return message("noModelAnywhere", from, to);
    if (missing > 0)
      return [message("mustDownload", from, to, megabytes(missing), [...hosts].join(", ")), by].join(" ");
    return "";
  };
  write(element("need"), text().trim());
  download.textContent = message("download", megabytes(missing));
  showButtons();
}

function showButtons() {
  const has = isReady && !isActive && !job;
  const isWanted = has && isOffered;
  // A button that disappears would take the focus with it.
  const focused = document.activeElement;
  download.hidden = !isWanted || missing === 0 || route.length === 0;
  look.hidden = !isWanted || !canLook;
  cancel.hidden = !job;
  restore.hidden = !isActive;
  translate.hidden = isActive || job !== null || !download.hidden || !look.hidden;
  translate.disabled = !has || route.length === 0 || missing > 0;
  if (focused instanceof HTMLButtonElement && focused.hidden)
    [restore, cancel, download, look, translate].find((button) => !button.hidden && !button.disabled)?.focus();
}

/** Follows a download until it ends. @param {Download} download */
async function follow(download) {
  job = download;
  jobProblem = "";
  showNeed();
  try {
    const outcome = await download.ended;
    if (outcome.type === "failed") jobProblem = sayProblem(outcome.problem, "downloadFailed");
    else if (outcome.type === "cancelled") jobProblem = message("downloadCancelled");
  } finally {
    job = null;
    await fit();
  }
}

/**
 * What all frames say together: those that their own script translates cannot be reached from the frame around them, but are reached.
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
  const problem = states.map((/** @type {any} */ state) => state.problem).find(Boolean) ?? null;
  return { ...top, problem, progress };
}

/**
 * What has become of the page, and nothing that is not true.
 * @param {{translated: number, waiting: number, left: number, unreachable: number}} progress
 */
function outcome({ translated, left, unreachable }) {
  if (translated > 0) {
    return unreachable > 0 ? message("translatedBut", String(unreachable)) : message("translated");
  }
  if (left > 0) return message("otherLanguage");
  return message(unreachable > 0 ? "onlyFrames" : "noText");
}

/** Screen readers may read out again what is written again. @param {HTMLElement} element @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Says what is going on, and how far it is: that changes all the time, and is for the eye and for those who ask.
 * @param {string} text
 * @param {{share: number, text: string}} [far]
 */
function say(text, far) {
  write(status, text);
  write(amount, far?.text ?? "");
  progress.hidden = amount.hidden = far === undefined;
  if (far) progress.value = far.share;
}

/** Shows the state of the page from now on. */
async function poll() {
  try {
    await show();
  } finally {
    setTimeout(() => poll().catch(() => {}), POLL_MS);
  }
}

async function show() {
  const { active, stale, progress: counts, loaded, problem } = await stateOfFrames();
  const isChanged = active !== isActive;
  isActive = active;
  if (isChanged) showNeed();
  if (stale) {
    say(message("stale"));
    isReady = false;
    showNeed();
  } else if (job) {
    const { loaded, total } = job;
    const text = message("amount", megabytes(loaded), megabytes(total));
    say(message("downloading"), { share: total > 0 ? loaded / total : 0, text });
  } else if (jobProblem !== "" && !active) say(jobProblem);
  else if (problem) say(sayProblem(problem));
  else if (!active) say(found);
  else if (loaded < 1) say(message("loading"), { share: loaded, text: percent.format(loaded) });
  else if (counts.waiting > 0) {
    const share = counts.translated / (counts.translated + counts.waiting);
    say(message("translating"), { share, text: percent.format(share) });
  } else say(outcome(counts));
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
  settings = await readSettings();
  models = await allModels({ fresh: false });
  try {
    await api.scripting.executeScript({ target: { tabId, allFrames: true }, files: [CONTENT_SCRIPT] });
  } catch {
    status.textContent = message("notAllowed");
    fill(
      source,
      models.map((model) => model.source),
    );
    await fillTargets();
    return;
  }
  const state = await askPage(tabId, { type: "state" });
  page = state.page;
  isActive = state.active;
  const fitting = await askBackground({ type: "pair", sample: await askPage(tabId, { type: "sample" }) });
  const pair = state.pair ?? fitting;
  const sources = models.map((model) => model.source);
  isReady = true;
  isOffered = state.pair !== null || !fitting?.isRead || settings.reads.length === 0;
  // The page's language is shown even where no model has it, and can be corrected.
  fill(source, pair && !sources.includes(pair.source) ? [pair.source, ...sources] : sources, pair?.source);
  await fillTargets(pair?.target);
  if (fitting && !state.pair) found = sayLanguage(fitting);
  const [where] = await api.scripting.executeScript({ target: { tabId }, func: () => location.origin });
  origin = where.result;
  element("site-name").textContent = message("alwaysSite", origin.replace(/^https?:\/\//, ""));
  site.checked = origin in settings.sites;
  never.checked = settings.never.includes(origin);
  both.checked = (settings.ways[origin] ?? settings.show) === "both";
  const running = await Download.running(tabId);
  if (running) follow(running).catch(fail);
  [translate, download, look].find((button) => !button.hidden && !button.disabled)?.focus();
  await poll();
  if (settings.more && Date.now() - settings.looked > DAY_MS && (await mayFetchModels())) await refresh();
}

/** @param {import("./protocol.js").FittingPair} pair */
function sayLanguage({ source, isRead }) {
  return message(isRead && settings.reads.length > 0 ? "pageRead" : "pageIn", languageName(source));
}

/** Looks up the lists again, and offers what is new in them. */
async function refresh() {
  await lookUp();
  settings = await readSettings();
  models = await allModels({ fresh: false });
  const [from, to] = [source.value, target.value];
  fill(source, [from, ...models.map((model) => model.source)].filter(Boolean), from);
  await fillTargets(targetLike(to));
}

/** The tag that the models use for a language. @param {string} tag */
const targetLike = (tag) => targetsFrom(models, source.value).find((other) => isIdentity(other, tag)) ?? tag;

/**
 * Switches something that needs a permission on or off.
 *
 * Browsers accept the question only right after the click, and some close this window when it is asked. So the answer is not waited for: what is
 * wanted is stored, and the background hears of the permission too.
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
    const pair = { source: source.value, target: target.value, models: route.map(({ name }) => name) };
    await askFrames(tabId, { type: "translate", ...pair, show: way() });
    isActive = true;
    showNeed();
  }),
);
restore.addEventListener(
  "click",
  guarded(async () => {
    await askFrames(tabId, { type: "restore" });
  }),
);
download.addEventListener(
  "click",
  guarded(() => {
    const pair = { source: source.value, target: target.value, models: route.map(({ name }) => name) };
    return follow(new Download({ ...pair, tab: tabId, page, show: way() }));
  }),
);
cancel.addEventListener("click", () => job?.cancel());
look.addEventListener(
  "click",
  guarded(async () => {
    // The window may close when the browser asks: what is wanted is stored first, as in `change`.
    const stored = changeSettings({ more: true });
    const isAllowed = await allowModels();
    await stored;
    if (!isAllowed) {
      await changeSettings({ more: false });
      jobProblem = message("notLooked");
      return;
    }
    jobProblem = message("looking");
    look.disabled = true;
    try {
      await refresh();
      jobProblem = "";
    } catch (error) {
      jobProblem = error instanceof Error ? error.message : String(error);
    } finally {
      look.disabled = false;
      showButtons();
    }
  }),
);
source.addEventListener(
  "change",
  guarded(() => {
    isOffered = true;
    return fillTargets(target.value);
  }),
);
target.addEventListener(
  "change",
  guarded(async () => {
    isOffered = true;
    await changeSettings({ target: target.value });
    settings = await readSettings();
    await fit();
  }),
);
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
