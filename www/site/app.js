/**
 * The translator page.
 */
import { parseAddress } from "./address.js";
import { announce } from "./announcement.js";
import { Bar } from "./bar.js";
import { SiteModels } from "./catalogue.js";
import { targetsFrom } from "../library/catalogue.js";
import { offerCopy, offerLink } from "./copying.js";
import { EngineLine } from "./engine-line.js";
import { LanguageHint } from "./language-hint.js";
import { LiveTranslation, countWords } from "./live.js";
import { offerMoreLanguages } from "./more-languages.js";
import { offerOwnModels } from "./own-model.js";
import {
  DETECT,
  element,
  hide,
  hideProblem,
  languageName,
  offerLanguages,
  offerModels,
  rememberModel,
  showProblem,
  stepsBetween,
} from "./parts.js";
import { Reading } from "./reading.js";
import { Translators } from "./translators.js";

/** @typedef {import("../library/wanderwort.js").Translator} Translator */
/** @typedef {import("../library/wanderwort.js").DownloadProgressEvent} DownloadProgressEvent */
/** @typedef {import("./address.js").Shared} Shared */
/** @typedef {import("./bar.js").Job} Job */
/** @typedef {import("./live.js").Line} Line */
/** @typedef {import("./live.js").Effort} Effort */

/** The pause in typing after which the text is translated. */
const PAUSE_MS = 120;
/** While someone keeps typing, the translation follows at least this often. */
const LONGEST_WAIT_MS = 400;
/** Screen readers are told the translation only once the typing has stopped. */
const ANNOUNCE_AFTER_MS = 1500;
/** Longer translations are announced, not read out. */
const MOST_ANNOUNCED = 400;

const EXAMPLE = `The old lighthouse keeper climbed the stairs every evening. From the top, he could see the whole coast.

Where can I buy a ticket for the train to Berlin?
Thank you for your help. See you tomorrow!`;

const ui = {
  retry: element("retry", HTMLButtonElement),
  sourceLanguage: element("source-language", HTMLSelectElement),
  targetLanguage: element("target-language", HTMLSelectElement),
  swap: element("swap", HTMLButtonElement),
  arrow: /** @type {SVGElement} */ (/** @type {unknown} */ (document.getElementById("arrow"))),
  source: element("source", HTMLTextAreaElement),
  sourceLabel: element("source-label", HTMLElement),
  translation: element("translation", HTMLElement),
  translationLabel: element("translation-label", HTMLElement),
  count: element("count", HTMLElement),
  example: element("example", HTMLButtonElement),
  clear: element("clear", HTMLButtonElement),
  speed: element("speed", HTMLElement),
  copy: element("copy", HTMLButtonElement),
  mirror: element("mirror", HTMLElement),
  menu: element("alternatives", HTMLElement),
  marks: element("marks", HTMLButtonElement),
  undo: element("undo", HTMLButtonElement),
  link: element("link", HTMLButtonElement),
  /** One for each step of the way between two languages. */
  models: [element("model", HTMLSelectElement), element("second-model", HTMLSelectElement)],
  modelLabels: [element("model-label", HTMLLabelElement), element("second-model-label", HTMLLabelElement)],
  ownEnd: element("own-end", HTMLButtonElement),
};

const bar = new Bar({
  box: element("loading", HTMLElement),
  bar: element("loading-bar", HTMLProgressElement),
  text: element("loading-text", HTMLElement),
  pause: element("loading-pause", HTMLButtonElement),
  cancel: element("loading-cancel", HTMLButtonElement),
  next: ui.source,
});

const engineLine = new EngineLine({ engine: element("engine", HTMLElement), note: element("note", HTMLElement) });

const numbers = new Intl.NumberFormat("en");
const percent = new Intl.NumberFormat("en", { style: "percent" });

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Settings for trying things out: `?threads=1`, `?variant=simd128`, `?beam=1`. */
const settings = new URLSearchParams(location.search);

const site = new SiteModels();
const translators = new Translators();
/** The language that the text is translated from while its language is left to be detected. */
let detected = "";
/** The steps between the languages that are shown. @type {import("./parts.js").Step[]} */
let steps = [];
/** Whether the menus have offered the site's languages. */
let isOffered = false;
/** The reader's own model, if one is in use. @type {import("./own-model.js").OwnModel | null} */
let own = null;
/** What was chosen in the menus before the reader's own model took them over. @type {[source: string, target: string]} */
let beforeOwn = ["", ""];
/** @type {Translator | null} */
let translator = null;
/** Whether that translator uses the reader's own model. */
let isOwn = false;
/** What is being loaded, or was loaded last. @type {{controller: AbortController, job: Job} | null} */
let loading = null;

const live = new LiveTranslation(showTranslation, engineFailed);

/** Where the reader chose other words, the latest last. @type {{source: string, before: import("./live.js").Known}[]} */
let choices = [];

const reading = new Reading(ui, () => translator, {
  change(source, before, after) {
    choices.push({ source, before });
    live.replace(source, after);
    showUndo();
  },
  error(error, of) {
    // One that is not in use any more was ended.
    if (of === translator) engineFailed(error);
  },
});

const hint = new LanguageHint(
  {
    box: element("other-language", HTMLElement),
    text: element("other-language-text", HTMLElement),
    button: element("other-language-change", HTMLButtonElement),
  },
  () => ({
    source: own?.source ?? sourceLanguage(),
    offered: own ? [] : site.sources,
    isLeftToFind: !own && ui.sourceLanguage.value === DETECT,
  }),
  (language) => {
    const isLeftToFind = ui.sourceLanguage.value === DETECT;
    detected = language;
    showLanguages(isLeftToFind ? DETECT : language, ui.targetLanguage.value);
    loadModel();
    if (!isLeftToFind) ui.source.focus();
  },
);

/** A request fails only if the whole engine does. @param {unknown} error */
function engineFailed(error) {
  translators.drop(translator);
  translator = null;
  showProblem("The translation stopped", error);
}

/** The language that is translated from. */
function sourceLanguage() {
  return ui.sourceLanguage.value === DETECT ? detected : ui.sourceLanguage.value;
}

function showUndo() {
  ui.undo.hidden = choices.length === 0;
}

/** Takes back the last choice of other words. */
function undo() {
  const last = choices.pop();
  if (last) live.replace(last.source, last.before);
  showUndo();
  // A button that is gone would lose the focus.
  if (ui.undo.hidden) ui.translation.focus();
}

// --- Text in ---------------------------------------------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
let waitingSince = 0;

function edited() {
  const now = performance.now();
  clearTimeout(pause);
  waitingSince ||= now;
  pause = setTimeout(translateNow, Math.max(0, Math.min(PAUSE_MS, waitingSince + LONGEST_WAIT_MS - now)));
  showBusy();
  const empty = ui.source.value === "";
  ui.clear.hidden = empty;
  ui.example.hidden = !empty;
}

function translateNow() {
  clearTimeout(pause);
  waitingSince = 0;
  const text = ui.source.value;
  const words = countWords(text);
  ui.count.textContent = text === "" ? "" : `${numbers.format(words)} ${words === 1 ? "word" : "words"}`;
  ui.clear.hidden = text === "";
  ui.example.hidden = text !== "";
  live.update(text, ui.source.selectionStart);
  showBusy();
  hint.update(text);
}

/**
 * Puts another text in the box as if it were typed: the browser's own undo brings back the previous one.
 * @param {string} text
 */
function setSource(text) {
  ui.source.focus();
  if (text === ui.source.value) return;
  ui.source.select();
  const isTyped = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!isTyped || ui.source.value !== text) ui.source.value = text;
  translateNow();
}

// --- Translation out -------------------------------------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let announcing;

/**
 * @param {Line[]} lines
 * @param {Effort | null} effort
 */
function showTranslation(lines, effort) {
  const nodes = ui.translation.children;
  const shown = lines.length === 1 && lines[0]?.text === "" ? [] : lines;
  while (nodes.length > shown.length) nodes[nodes.length - 1]?.remove();
  shown.forEach((line, i) => {
    let node = nodes[i];
    if (!node) {
      node = document.createElement("div");
      node.setAttribute("dir", "auto");
      ui.translation.append(node);
    }
    node.className = line.current || !translator ? "line" : "line stale";
    if (node.textContent !== line.text) node.textContent = line.text;
  });
  ui.copy.disabled = shown.every((line) => line.text === "");
  reading.show(shown);
  const busy = showBusy();
  if (effort && effort.milliseconds > 0) {
    const rate = Math.round((effort.words / effort.milliseconds) * 1000);
    ui.speed.textContent = `${numbers.format(rate)} words per second`;
  }
  if (shown.length === 0) ui.speed.textContent = "";
  clearTimeout(announcing);
  if (!busy && shown.length > 0) announcing = setTimeout(announceTranslation, ANNOUNCE_AFTER_MS);
}

/** Whether what is shown is the translation of what was typed, the latest included, which waits for a pause. */
function isCurrent() {
  return waitingSince === 0 && live.isCurrent;
}

/** Says whether a translation other than the one shown is on its way. */
function showBusy() {
  const busy = translator !== null && !isCurrent();
  ui.translation.setAttribute("aria-busy", String(busy));
  return busy;
}

function translatedText() {
  return Array.from(ui.translation.children, (line) => line.textContent ?? "").join("\n");
}

function announceTranslation() {
  const text = translatedText();
  if (text.length <= MOST_ANNOUNCED) announce(text, ui.translation.lang);
  else announce(`Translation ready, ${numbers.format(countWords(text))} words`);
}

// --- The address -----------------------------------------------------------------------------------------------

/** Another address was opened in this tab: shows its text in its languages. */
function followAddress() {
  const shared = parseAddress(location.hash);
  if (!shared) return;
  const isOther = showLanguagesOf(shared);
  takeText(shared);
  if (isOther) loadModel();
}

/**
 * Shows the languages of an address.
 * @param {Shared} shared
 * @returns {boolean} whether they need another model than the one in use
 */
function showLanguagesOf({ source, target }) {
  if (own && own.source === source && own.target === target) return false;
  const wasOwn = own !== null;
  if (wasOwn) endOwn();
  // Without a list yet, the languages are taken from the address once it is here.
  if (!isOffered) {
    if (wasOwn) start();
    return false;
  }
  const before = `${detected} ${ui.targetLanguage.value}`;
  showLanguages(source, target);
  return wasOwn || before !== `${detected} ${ui.targetLanguage.value}`;
}

/** @param {Shared | null} shared */
function takeText(shared) {
  if (shared && shared.text !== "") setSource(shared.text);
}

// --- Languages and models --------------------------------------------------------------------------------------

/**
 * Offers the source languages there are, and the target languages there are for the chosen one.
 * @param {string | undefined} source or that it is left to be detected
 * @param {string | undefined} target
 */
function showLanguages(source, target) {
  const { models, sources } = site;
  const wanted = source === DETECT ? detected : source;
  const from = wanted !== undefined && sources.includes(wanted) ? wanted : sources[0];
  const targets = from === undefined ? [] : targetsFrom(models, from);
  const to = target !== undefined && targets.includes(target) ? target : targets[0];
  const fromHere = sources.map((tag) => ({ tag, missing: site.isKept(tag) ? 0 : NaN }));
  offerLanguages(ui.sourceLanguage, fromHere, { chosen: source === DETECT ? DETECT : from, detect: true });
  const toThere = targets.map((tag) => ({ tag, missing: site.missing(from ?? "", tag) ?? NaN }));
  offerLanguages(ui.targetLanguage, toThere, { chosen: to });
  if (from === undefined || to === undefined) return;
  isOffered = true;
  detected = from;
  const back = site.missing(to, from) !== undefined;
  ui.swap.hidden = !back;
  ui.arrow.style.display = back ? "none" : "";
  showPair(from, to);
  showSteps(stepsBetween(models, from, to));
}

/** Offers the models of each step of the way. @param {import("./parts.js").Step[]} shown */
function showSteps(shown) {
  steps = shown;
  for (const [i, select] of ui.models.entries()) {
    const step = steps[i];
    offerModels(select, step?.models ?? [], step?.chosen.name);
    const label = ui.modelLabels[i];
    if (!label) continue;
    label.hidden = select.hidden;
    // A single menu speaks for itself; of two, each says which pair of languages it is for.
    label.classList.toggle("hidden", steps.length < 2);
    label.textContent =
      step && steps.length > 1 ? `${languageName(step.source)}–${languageName(step.target)} model` : "Model";
  }
}

/**
 * Names a pair of languages wherever the page shows it.
 * @param {string} from
 * @param {string} to
 */
function showPair(from, to) {
  ui.source.lang = from;
  ui.sourceLabel.textContent = `Text to translate, in ${languageName(from)}`;
  ui.source.placeholder = `Type or paste text in ${languageName(from)}`;
  ui.translation.lang = to;
  reading.languages = { source: from, target: to };
  ui.translationLabel.textContent = `Translation, in ${languageName(to)}`;
}

/**
 * Begins to load something in the place of what is being loaded.
 * @param {string} text
 * @param {boolean} canPause whether what arrives is kept, so that loading can go on from there
 * @returns {{signal: AbortSignal, job: Job}}
 */
function beginLoading(text, canPause) {
  const before = loading;
  before?.controller.abort();
  const controller = new AbortController();
  const cancel = () => {
    controller.abort();
    const kept = canPause ? "The part already downloaded is kept. " : "";
    showProblem("Loading was cancelled", new Error(`${kept}Try again to continue.`));
    ui.retry.focus();
    job.end();
  };
  const pause = () => {
    controller.abort();
    job.show("Paused. The part already downloaded is kept.");
  };
  const job = bar.begin(text, canPause ? { cancel, pause, resume: loadModel } : { cancel });
  // Only now, so that the bar stays, and a button that has the focus.
  before?.job.end();
  loading = { controller, job };
  return { signal: controller.signal, job };
}

/** Looks for the site's models, and loads the one for the languages that the address wants. */
async function start() {
  hideProblem(ui.source);
  const { signal, job } = beginLoading("Looking for models…", false);
  try {
    await site.load();
    if (signal.aborted) return;
    if (site.models.length === 0) throw new Error("The site's list of models is empty.");
  } catch (error) {
    if (signal.aborted) return;
    showProblem("The list of models could not be loaded", error);
    job.end();
    return;
  }
  const shared = parseAddress(location.hash);
  showLanguages(shared?.source ?? settings.get("from") ?? undefined, shared?.target ?? settings.get("to") ?? undefined);
  await loadModel();
}

async function loadModel() {
  const source = own?.source ?? sourceLanguage();
  const target = own?.target ?? ui.targetLanguage.value;
  const pair = `${languageName(source)}–${languageName(target)}`;
  hideProblem(ui.source);
  // The reader's own files are here already.
  const { signal, job } = beginLoading(`Loading the ${pair} model…`, own === null);
  // A translator with the reader's own model is not kept.
  if (translator && isOwn) translator.destroy();
  isOwn = own !== null;
  translator = null;
  live.use(null);
  choices = [];
  showUndo();
  try {
    const created = await translators.get({
      sourceLanguage: source,
      targetLanguage: target,
      files: own?.files,
      models: site.lists,
      model: own || steps.length === 0 ? undefined : steps.map(({ chosen }) => chosen.name),
      signal,
      threads: settings.has("threads") ? Number(settings.get("threads")) : undefined,
      beam: settings.has("beam") ? Number(settings.get("beam")) : undefined,
      variant: /** @type {any} */ (settings.get("variant") ?? undefined),
      monitor(monitor) {
        monitor.ondownloadprogress = (event) => job.show(downloadText(pair, event), event.loaded);
        monitor.addEventListener("waiting", () =>
          job.show(`Another tab is loading the ${pair} model; waiting for it…`),
        );
      },
    });
    if (signal.aborted) return own && created.destroy();
    translator = created;
    job.end();
    engineLine.show(created);
    hint.update(ui.source.value);
    live.use(created);
    await site.look();
    if (!own && !signal.aborted) showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
  } catch (error) {
    if (signal.aborted) return;
    showProblem(`The ${pair} model could not be loaded`, error);
    job.end();
  }
}

/** @param {string} pair @param {DownloadProgressEvent} event */
function downloadText(pair, { loaded, loadedBytes, totalBytes }) {
  if (loaded === 1) return `Starting the ${pair} model…`;
  const amount = `${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB`;
  return `Loading the ${pair} model: ${amount} · ${percent.format(loaded)}`;
}

/** The menus are the site's again. */
function endOwn() {
  own = null;
  hide(ui.ownEnd, ui.source);
}

// --- Wiring ----------------------------------------------------------------------------------------------------

offerOwnModels(
  {
    button: element("own", HTMLButtonElement),
    input: element("own-files", HTMLInputElement),
    dialog: element("own-dialog", HTMLDialogElement),
    list: element("own-list", HTMLElement),
    source: element("own-source", HTMLInputElement),
    target: element("own-target", HTMLInputElement),
  },
  {
    use(model) {
      if (!own) beforeOwn = [ui.sourceLanguage.value, ui.targetLanguage.value];
      own = model;
      showPair(model.source, model.target);
      offerLanguages(ui.sourceLanguage, [{ tag: model.source, missing: 0 }]);
      offerLanguages(ui.targetLanguage, [{ tag: model.target, missing: 0 }]);
      ui.swap.hidden = true;
      showSteps([]);
      ui.ownEnd.hidden = false;
      ui.source.focus();
      loadModel();
    },
    saving(model) {
      hideProblem(ui.source);
      const what = `Packaging the ${languageName(model.source)}–${languageName(model.target)} model`;
      const controller = new AbortController();
      const job = bar.begin(`${what}…`, {
        cancel() {
          controller.abort();
          announce("Packaging was cancelled");
        },
      });
      return {
        signal: controller.signal,
        progress: (share) => job.show(`${what}: ${percent.format(share)}`, share),
        end: job.end,
      };
    },
    failed: (error) => showProblem("Your model could not be used", error),
  },
);

offerMoreLanguages(
  {
    button: element("more", HTMLButtonElement),
    dialog: element("more-dialog", HTMLDialogElement),
    offer: element("more-offer", HTMLElement),
    hosts: element("more-hosts", HTMLElement),
    look: element("more-look", HTMLButtonElement),
    forget: element("more-forget", HTMLButtonElement),
    notes: element("more-notes", HTMLElement),
    kept: element("more-kept", HTMLElement),
    list: element("more-list", HTMLElement),
  },
  site,
  {
    async changed() {
      const pair = [ui.sourceLanguage.value, ui.targetLanguage.value];
      await site.load().catch((error) => showProblem("The list of models could not be loaded", error));
      if (own) return;
      const before = `${detected} ${pair[1]}`;
      showLanguages(pair[0], pair[1]);
      if (before !== `${detected} ${ui.targetLanguage.value}`) loadModel();
    },
    deleted(model) {
      translators.dropModel(model);
      if (own) return;
      const isGone = translator?.models.some(({ name }) => name === model.name);
      showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
      if (!isGone) return;
      translator = null;
      live.use(null);
      showProblem("The model was deleted", new Error("Try again to download it once more, or choose other languages."));
    },
  },
);

ui.ownEnd.addEventListener("click", () => {
  endOwn();
  if (!isOffered) return void start();
  showLanguages(...beforeOwn);
  loadModel();
});
ui.source.addEventListener("input", edited);
ui.clear.addEventListener("click", () => setSource(""));
ui.example.addEventListener("click", () => setSource(EXAMPLE));
const copy = offerCopy(ui.copy, element("copy-label", HTMLElement), ui.translation, translatedText);
ui.retry.addEventListener("click", () => {
  ui.source.focus();
  if (!isOffered && !own) start();
  else loadModel();
});
ui.sourceLanguage.addEventListener("change", () => {
  const before = `${detected} ${ui.targetLanguage.value}`;
  showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
  if (before !== `${detected} ${ui.targetLanguage.value}`) loadModel();
  hint.update(ui.source.value);
});
ui.targetLanguage.addEventListener("change", () => {
  showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
  loadModel();
});
for (const [i, select] of ui.models.entries()) {
  select.addEventListener("change", () => {
    const step = steps[i];
    if (!step) return;
    rememberModel(step.source, step.target, select.value);
    // The amount to download is different now.
    showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
    loadModel();
  });
}
ui.swap.addEventListener("click", () => {
  // A line that is still being translated, or cannot be, stays as it is.
  const translated = translator && isCurrent() ? ui.translation.children : [];
  const lines = ui.source.value.split("\n").map((line, i) => translated[i]?.textContent || line);
  showLanguages(ui.targetLanguage.value, sourceLanguage());
  loadModel();
  setSource(lines.join("\n"));
});
function toggleMarks() {
  const on = ui.marks.getAttribute("aria-pressed") !== "true";
  ui.marks.setAttribute("aria-pressed", String(on));
  live.scores = on;
  reading.marks = on;
}

ui.marks.addEventListener("click", toggleMarks);
ui.undo.addEventListener("click", undo);
offerLink(ui.link, element("link-label", HTMLElement), () => ({
  source: sourceLanguage(),
  target: ui.targetLanguage.value,
  text: ui.source.value,
}));
addEventListener("hashchange", followAddress);

/** By the key's place on the keyboard: with Alt many layouts write another character. @type {Record<string, HTMLButtonElement>} */
const SHORTCUTS = { KeyS: ui.swap, KeyM: ui.marks, KeyL: ui.link, KeyC: ui.clear, KeyE: ui.example };

document.addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey;
  if (event.key === "Enter" && command) {
    event.preventDefault();
    copy();
  } else if (
    event.key === "z" &&
    command &&
    !event.shiftKey &&
    document.activeElement !== ui.source &&
    !ui.undo.hidden
  ) {
    event.preventDefault();
    undo();
  } else if (event.altKey && event.shiftKey && !command) {
    const button = SHORTCUTS[event.code];
    if (!button || button.hidden) return;
    event.preventDefault();
    button.click();
  }
});

// Browsers bring back what was in the box before a reload.
translateNow();
takeText(parseAddress(location.hash));
start();
