/**
 * The translator page.
 */
import { formatAddress, parseAddress } from "./address.js";
import { SiteModels } from "./catalogue.js";
import { targetsFrom } from "../library/catalogue.js";
import { keepForOffline } from "./keep.js";
import { LanguageHint } from "./language-hint.js";
import { LiveTranslation, countWords } from "./live.js";
import { offerMoreLanguages } from "./more-languages.js";
import { offerOwnModels } from "./own-model.js";
import {
  DETECT,
  element,
  hideProblem,
  languageName,
  offerLanguages,
  offerModels,
  progress,
  rememberModel,
  showProblem,
  showProgress,
  stepsBetween,
} from "./parts.js";
import { Reading } from "./reading.js";
import { Translators } from "./translators.js";

/** @typedef {import("../library/wanderwort.js").Translator} Translator */
/** @typedef {import("../library/wanderwort.js").EngineInfo} EngineInfo */
/** @typedef {import("../library/wanderwort.js").DownloadProgressEvent} DownloadProgressEvent */
/** @typedef {import("./live.js").Line} Line */
/** @typedef {import("./live.js").Effort} Effort */

/** The pause in typing after which the text is translated. */
const PAUSE_MS = 120;
/** While someone keeps typing, the translation follows at least this often. */
const LONGEST_WAIT_MS = 400;
/** Screen readers are told the translation only once the typing has stopped. */
const ANNOUNCE_AFTER_MS = 1500;
/** Longer texts are left out of links: servers and chat programs cut them off. */
const LONGEST_LINKED = 4000;
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
  copyLabel: element("copy-label", HTMLElement),
  note: element("note", HTMLElement),
  announcement: element("announcement", HTMLElement),
  mirror: element("mirror", HTMLElement),
  menu: element("alternatives", HTMLElement),
  marks: element("marks", HTMLButtonElement),
  undo: element("undo", HTMLButtonElement),
  link: element("link", HTMLButtonElement),
  linkLabel: element("link-label", HTMLElement),
  engine: element("engine", HTMLElement),
  /** One for each step of the way between two languages. */
  models: [element("model", HTMLSelectElement), element("second-model", HTMLSelectElement)],
  modelLabels: [element("model-label", HTMLLabelElement), element("second-model-label", HTMLLabelElement)],
  ownEnd: element("own-end", HTMLButtonElement),
  pause: element("loading-pause", HTMLButtonElement),
  cancel: element("loading-cancel", HTMLButtonElement),
};

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
/** The reader's own model, if one is in use. @type {import("./own-model.js").OwnModel | null} */
let own = null;
/** @type {Translator | null} */
let translator = null;
/** Whether that translator uses the reader's own model. */
let isOwn = false;
/** Ends the loading that is under way. */
let loading = new AbortController();

const live = new LiveTranslation(showTranslation, (error) => {
  // A request fails only if the whole engine does.
  translators.drop(translator);
  translator = null;
  showProblem("The translation stopped", error);
});

/** Where the reader chose other words, the latest last. @type {{source: string, before: import("./live.js").Known}[]} */
let choices = [];

const reading = new Reading(
  ui,
  () => translator,
  (source, before, after) => {
    choices.push({ source, before });
    live.replace(source, after);
    showUndo();
  },
);

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
  if (!busy && shown.length > 0) announcing = setTimeout(announce, ANNOUNCE_AFTER_MS);
}

/** Says whether a translation other than the one shown is on its way, including one of text just typed, which waits for a pause. */
function showBusy() {
  const busy = translator !== null && (waitingSince > 0 || !live.isCurrent);
  ui.translation.setAttribute("aria-busy", String(busy));
  return busy;
}

function translatedText() {
  return Array.from(ui.translation.children, (line) => line.textContent ?? "").join("\n");
}

function announce() {
  const text = translatedText();
  ui.announcement.textContent =
    text.length <= MOST_ANNOUNCED ? text : `Translation ready, ${numbers.format(countWords(text))} words`;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let copied;

async function copy() {
  if (ui.copy.disabled) return;
  try {
    await navigator.clipboard.writeText(translatedText());
    ui.copyLabel.textContent = "Copied";
    ui.announcement.textContent = "Copied";
  } catch {
    // No permission, or not a secure page: select it, so that the reader can copy it.
    const range = document.createRange();
    range.selectNodeContents(ui.translation);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    ui.copyLabel.textContent = "Selected: press Ctrl+C";
  }
  clearTimeout(copied);
  copied = setTimeout(() => (ui.copyLabel.textContent = "Copy"), 2500);
}

/** Copies a link to this text in these languages. Only then is the text in the address, and so in the browser's history. */
async function copyLink() {
  const text = ui.source.value;
  const linked = text.length <= LONGEST_LINKED ? text : "";
  const pair = { source: sourceLanguage(), target: ui.targetLanguage.value };
  const url = new URL(formatAddress({ ...pair, text: linked }), location.href);
  history.replaceState(null, "", url);
  try {
    await navigator.clipboard.writeText(url.href);
    ui.linkLabel.textContent = text === linked ? "Copied" : "Copied, without the text (too long)";
  } catch {
    ui.linkLabel.textContent = "Could not copy: the link is in the address bar";
  }
  ui.announcement.textContent = ui.linkLabel.textContent;
  clearTimeout(linkCopied);
  linkCopied = setTimeout(() => (ui.linkLabel.textContent = "Link"), 2500);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let linkCopied;

/** Takes languages and text from the address, if it has any. True if the languages are different from before. */
function readAddress() {
  const shared = parseAddress(location.hash);
  if (!shared) return false;
  const before = [sourceLanguage(), ui.targetLanguage.value];
  showLanguages(shared.source, shared.target);
  if (shared.text !== "") setSource(shared.text);
  return before.join() !== [sourceLanguage(), ui.targetLanguage.value].join();
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

async function start() {
  hideProblem();
  ui.pause.hidden = true;
  showProgress("Looking for models…");
  try {
    await site.load();
    if (site.models.length === 0) throw new Error("The site's list of models is empty.");
  } catch (error) {
    showProblem("The list of models could not be loaded", error);
    return;
  }
  showLanguages(settings.get("from") ?? undefined, settings.get("to") ?? undefined);
  readAddress();
  await loadModel();
}

async function loadModel() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  // A translator with the reader's own model is not kept.
  if (translator && isOwn) translator.destroy();
  isOwn = own !== null;
  translator = null;
  live.use(null);
  choices = [];
  showUndo();
  hideProblem();
  const source = own?.source ?? sourceLanguage();
  const target = own?.target ?? ui.targetLanguage.value;
  const pair = `${languageName(source)}–${languageName(target)}`;
  // The reader's own files are here already.
  ui.pause.hidden = own !== null;
  ui.pause.textContent = "Pause";
  showProgress(`Loading the ${pair} model…`);
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
        monitor.ondownloadprogress = (event) => showDownload(pair, event);
        monitor.addEventListener("waiting", () =>
          showProgress(`Another tab is loading the ${pair} model; waiting for it…`),
        );
      },
    });
    if (signal.aborted) return own && created.destroy();
    translator = created;
    progress.box.hidden = true;
    showEngine(created);
    hint.update(ui.source.value);
    keepPage(created.info.variant);
    live.use(created);
    await site.look();
    if (!own && !signal.aborted) showLanguages(ui.sourceLanguage.value, ui.targetLanguage.value);
  } catch (error) {
    if (signal.aborted) return;
    showProblem(`The ${pair} model could not be loaded`, error);
  }
}

/** Stops loading until the reader continues; what has arrived is kept. */
function pauseLoading() {
  if (loading.signal.aborted) {
    loadModel();
    return;
  }
  loading.abort();
  ui.pause.textContent = "Continue";
  progress.text.textContent = "Paused. The part already downloaded is kept.";
}

/** Ends loading; what has arrived is kept. */
function cancelLoading() {
  loading.abort();
  showProblem("Loading was cancelled", new Error("The part already downloaded is kept. Try again to continue."));
  ui.retry.focus();
}

/** @param {string} pair @param {DownloadProgressEvent} event */
function showDownload(pair, event) {
  progress.bar.value = event.loaded;
  const all = megabytes(event.totalBytes);
  progress.text.textContent =
    event.loaded < 1
      ? `Loading the ${pair} model: ${megabytes(event.loadedBytes)} of ${all} MB · ${percent.format(event.loaded)}`
      : `Starting the ${pair} model…`;
}

/** @param {Translator} started */
function showEngine(started) {
  const { variant, threads, precision, weightBytes, notStored, notCurrent } = started.info;
  const parts = [
    variant?.startsWith("relaxed-simd") ? "relaxed SIMD" : "SIMD",
    threads === 1 ? "1 thread" : `${threads} threads`,
    precision,
    `${megabytes(weightBytes)} MB of weights`,
    "everything stays on this device",
  ];
  ui.engine.textContent = parts.join(" · ");
  const notes = [
    ...started.models.map((model) => model.note),
    notCurrent && `The newer version of the model could not be loaded, so the previous one is in use (${notCurrent}).`,
    notStored && `The browser has no room to store the model, so it will be downloaded again next time (${notStored}).`,
  ].filter(Boolean);
  ui.note.textContent = notes.join(" ");
  ui.note.hidden = notes.length === 0;
}

/**
 * Makes the service worker keep the page for use without a network.
 * @param {EngineInfo["variant"]} variant
 */
async function keepPage(variant) {
  try {
    const { kept, newer } = await keepForOffline(variant);
    if (kept && translator?.info.stored) ui.engine.append(" · works offline");
    if (newer) ui.engine.append(" · a newer version is ready for your next visit");
  } catch (error) {
    // A page that does not open offline still translates.
    console.warn("Wanderwort: the page is not kept for offline use", error);
  }
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
    saving(model, share) {
      hideProblem();
      const pair = `${languageName(model.source)}–${languageName(model.target)}`;
      showProgress(`Packaging the ${pair} model: ${percent.format(share)}`);
      progress.bar.value = share;
    },
    saved: () => (progress.box.hidden = true),
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

ui.pause.addEventListener("click", pauseLoading);
ui.cancel.addEventListener("click", cancelLoading);
ui.ownEnd.addEventListener("click", () => {
  own = null;
  ui.ownEnd.hidden = true;
  ui.source.focus();
  start();
});
ui.source.addEventListener("input", edited);
ui.clear.addEventListener("click", () => setSource(""));
ui.example.addEventListener("click", () => setSource(EXAMPLE));
ui.copy.addEventListener("click", copy);
ui.retry.addEventListener("click", () => {
  ui.source.focus();
  if (site.models.length === 0 && !own) start();
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
  const text = translatedText();
  showLanguages(ui.targetLanguage.value, sourceLanguage());
  loadModel();
  setSource(text);
});
function toggleMarks() {
  const on = ui.marks.getAttribute("aria-pressed") !== "true";
  ui.marks.setAttribute("aria-pressed", String(on));
  live.scores = on;
  reading.marks = on;
}

ui.marks.addEventListener("click", toggleMarks);
ui.undo.addEventListener("click", undo);
ui.link.addEventListener("click", copyLink);
addEventListener("hashchange", () => {
  if (readAddress()) loadModel();
});

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
start();
