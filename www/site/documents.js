/**
 * The page that translates whole documents: files that are opened or dropped, and what is pasted.
 */
import { Bar } from "./bar.js";
import { SiteModels } from "./catalogue.js";
import { targetsFrom } from "../library/catalogue.js";
import { keepForOffline } from "./keep.js";
import { element, hideProblem, languageName, offerLanguages, showProblem, stepsBetween } from "./parts.js";
import { ShownDocument } from "./shown-document.js";
import { PageTranslation, Translator } from "../library/wanderwort.js";

/** Kinds of `input` that are no fields for text. */
const WITHOUT_TEXT = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]
  .map((type) => `[type=${type}]`)
  .join();

/** Larger pages are not shown. */
const MOST_SHOWN_BYTES = 50_000_000;

const ui = {
  retry: element("retry", HTMLButtonElement),
  sourceLanguage: element("source-language", HTMLSelectElement),
  targetLanguage: element("target-language", HTMLSelectElement),
  open: element("open", HTMLButtonElement),
  file: element("file", HTMLInputElement),
  demonstration: element("demonstration", HTMLButtonElement),
  original: element("original", HTMLButtonElement),
  save: element("save", HTMLButtonElement),
  empty: element("empty", HTMLElement),
  status: element("status", HTMLElement),
  share: element("share", HTMLElement),
};

/** Shows how far the loading of a model is. */
const loadingBar = new Bar({
  box: element("loading", HTMLElement),
  bar: element("loading-bar", HTMLProgressElement),
  text: element("loading-text", HTMLElement),
  next: ui.open,
});

/** Shows how far the translation of a file is. */
const workingBar = new Bar({
  box: element("working", HTMLElement),
  bar: element("working-bar", HTMLProgressElement),
  text: element("working-text", HTMLElement),
  cancel: element("cancel", HTMLButtonElement),
  next: ui.open,
});

const shown = new ShownDocument(element("document", HTMLIFrameElement), {
  load(page) {
    // Files that are dropped on it are documents too.
    for (const type of ["dragover", "drop"]) page.addEventListener(type, /** @type {any} */ (dragged));
    page.addEventListener("paste", pasted);
    translateDocument();
  },
  link: () => say("Links that lead out of the document are not followed here."),
});

const percent = new Intl.NumberFormat("en", { style: "percent" });

/** Settings for trying things out: `?threads=1`, `?variant=simd128`, `?beam=1`. */
const settings = new URLSearchParams(location.search);

/**
 * What was opened.
 * @typedef {object} Opened
 * @property {string} name
 * @property {boolean} isPlain whether it is text without markup
 * @property {File} [file] the translation is written from it; what was pasted is saved as it is shown
 * @property {File} [translated]
 */

const site = new SiteModels();
/** The one for the chosen languages, once there are a list of models and a model. @type {Promise<Translator>} */
let translator;
/** Ends the loading that is under way. */
let loading = new AbortController();
/** @type {Opened | null} */
let opened = null;
/** @type {PageTranslation | null} */
let live = null;
/** Ends the translation of a file that is under way. */
let working = new AbortController();
/** Tells the latest choice of a document from earlier ones, which may take longer to read. */
let choice = 0;
/** What failed, by error: whatever waited for it receives the same error, and it is still the same that failed. @type {Map<unknown, string>} */
const titles = new Map();

/** @param {string} title @param {unknown} error */
function tell(title, error) {
  const first = titles.get(error) ?? title;
  titles.set(error, first);
  say("");
  showProblem(first, error);
}

/** Tells the reader what has begun or ended, and has it read out. @param {string} text */
function say(text) {
  ui.share.textContent = "";
  if (ui.status.textContent !== text) ui.status.textContent = text;
}

// --- Documents in ----------------------------------------------------------------------------------------------

/** @param {string} text */
function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A page for a text without markup, with an element for each of its paragraphs. @param {string} text */
function pageOfText(text) {
  const paragraphs = text.replace(/\r\n?/g, "\n").split(/(\n{2,})/);
  const body = paragraphs.map((part, i) => (i % 2 === 0 ? `<p>${escapeHtml(part)}</p>` : "")).join("\n");
  return (
    "<!doctype html><meta charset='utf-8'><style>:root { color-scheme: light dark } " +
    "body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44em; margin: 1.5em auto; padding: 0 1em } " +
    `p { white-space: pre-wrap; overflow-wrap: anywhere }</style><body>${body}`
  );
}

/** @param {File | Promise<File>} coming */
async function openFile(coming) {
  const mine = ++choice;
  const file = await coming;
  const isPage = /\.x?html?$|\.xht$/i.test(file.name) || /^(text\/html|application\/xhtml\+xml)$/.test(file.type);
  const isPlain = /\.te?xt$/i.test(file.name) || file.type === "text/plain";
  const isShown = isPage || isPlain;
  if (isShown && file.size > MOST_SHOWN_BYTES) {
    throw new Error(`${file.name} is too large: ${file.size} bytes; the limit is ${MOST_SHOWN_BYTES}.`);
  }
  const content = isShown ? decode(await file.arrayBuffer()) : "";
  if (mine !== choice) return;
  if (isShown) show(content, { name: file.name, isPlain: !isPage, file });
  else await takeBook(file);
}

/**
 * A file that is translated without being shown.
 * @param {File} file
 */
async function takeBook(file) {
  forget();
  const what = { name: file.name, isPlain: false, file };
  opened = what;
  say(`Translating ${what.name}…`);
  const begun = performance.now();
  if (!(await translateFile(what)) || opened !== what) return;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  say(`${file.name}: translated in ${seconds} s. Choose “Save” to store it.`);
  ui.save.disabled = false;
}

/** Closes what was open. */
function forget() {
  hideProblem(ui.open);
  working.abort();
  live?.restore();
  live = null;
  opened = null;
  shown.close();
  ui.empty.hidden = true;
  ui.save.disabled = true;
  ui.original.disabled = true;
  say("");
}

/**
 * Waits no longer than a signal allows.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>} rejected with the signal's reason if that comes first
 */
function untilAborted(promise, signal) {
  const aborted = new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
  return Promise.race([promise, aborted]);
}

/**
 * Translates the file of what was opened, unless that has been done.
 * @param {Opened} what
 * @returns {Promise<File | undefined>} nothing if it was cancelled
 */
async function translateFile(what) {
  if (!what.file || what.translated) return what.translated;
  working.abort();
  const controller = new AbortController();
  working = controller;
  const { signal } = controller;
  const job = workingBar.begin(`Reading ${what.name}…`, { cancel: () => controller.abort() });
  try {
    const started = await untilAborted(translator, signal);
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      const share = total === 0 ? 1 : done / total;
      job.show(`Translating ${what.name}: ${percent.format(share)}`, share);
    };
    what.translated = await started.translateDocument(what.file, { signal, progress });
    // So that a document opens without a network next time.
    keepForOffline("documents").catch((error) => console.warn("not kept for offline use", error));
    return what.translated;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (working === controller && opened === what) say(`${what.name}: cancelled.`);
    return undefined;
  } finally {
    job.end();
  }
}

/** @param {ArrayBuffer} bytes */
function decode(bytes) {
  // A page declares its own encoding in its first kilobyte.
  const start = new TextDecoder("latin1").decode(bytes.slice(0, 1024));
  const label = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * @param {string} content
 * @param {Opened} what
 */
function show(content, what) {
  forget();
  opened = what;
  shown.show(what.isPlain ? pageOfText(content) : content);
}

async function translateDocument() {
  const { page } = shown;
  const what = opened;
  const coming = translator;
  if (!page || !what) return;
  try {
    const started = await coming;
    if (translator !== coming || opened !== what || shown.page !== page) return;
    live?.restore();
    const current = new PageTranslation(started, { document: page });
    live = current;
    const begun = performance.now();
    say(`Translating ${what.name}…`);
    current.addEventListener("progress", () => {
      if (live === current) showShare(current);
    });
    current.addEventListener("complete", () => {
      if (live !== current) return;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      say(`${what.name}: ${current.progress.translated} passages translated in ${seconds} s.`);
      ui.save.disabled = false;
    });
    current.addEventListener("error", (event) => tell("The translation stopped", event.error));
    ui.original.disabled = false;
    setPressed(false);
  } catch (error) {
    if (translator === coming) tell("The document could not be translated", error);
  }
}

/** Shows how much of a page is translated. This is not read out: it changes all the time. @param {PageTranslation} current */
function showShare(current) {
  const { translated, waiting } = current.progress;
  const share = waiting > 0 ? percent.format(translated / (translated + waiting)) : "";
  if (ui.share.textContent !== share) ui.share.textContent = share;
}

/** @param {boolean} pressed */
function setPressed(pressed) {
  ui.original.setAttribute("aria-pressed", String(pressed));
}

/** Whether an event is on a field for text, which takes what is pasted or dropped there. @param {Event} event */
function isOnField(event) {
  const [target] = event.composedPath();
  if (!target || !("localName" in target)) return false;
  const element = /** @type {HTMLElement} */ (target);
  return element.isContentEditable || element.matches(`textarea, input:not(${WITHOUT_TEXT})`);
}

/** @param {DragEvent} event */
function dragged(event) {
  // A field takes no files: the browser would leave the page for them.
  if (!event.dataTransfer || (isOnField(event) && !event.dataTransfer.types.includes("Files"))) return;
  event.preventDefault();
  if (event.type !== "drop") return;
  take(event.dataTransfer, "Dropped text");
}

/** @param {ClipboardEvent} event */
function pasted(event) {
  if (!event.clipboardData || isOnField(event)) return;
  event.preventDefault();
  take(event.clipboardData, "Pasted text");
}

/** @param {DataTransfer} data @param {string} name */
function take(data, name) {
  const [file] = data.files;
  if (file) return guard(openFile(file));
  choice++;
  const html = data.getData("text/html");
  const text = data.getData("text/plain");
  if (html) show(html, { name, isPlain: false });
  // The source of a page, copied from an editor.
  else if (/^\s*<(!doctype|html|body|div|p|h1|article|table|ul)\b/i.test(text)) show(text, { name, isPlain: false });
  else if (text) show(text, { name, isPlain: true });
}

/** @param {Promise<void>} action */
function guard(action) {
  action.catch((error) => tell("The document could not be opened", error));
}

// --- Documents out ---------------------------------------------------------------------------------------------

async function save() {
  const what = opened;
  if (!what) return;
  const content = what.file ? await translateFile(what) : pageShown(what);
  if (!content || opened !== what) return;
  const [, stem, ending] = /^(.*?)(\.\w+)?$/s.exec(what.name) ?? [];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = `${stem}.${ui.targetLanguage.value}${ending ?? (what.isPlain ? ".txt" : ".html")}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What was pasted, as it is shown. @param {Opened} what */
function pageShown({ isPlain }) {
  const { page, html } = shown;
  if (!page || html === undefined) return undefined;
  const content = isPlain ? Array.from(page.querySelectorAll("p"), (p) => p.textContent).join("\n\n") : html;
  return new Blob([content], { type: `${isPlain ? "text/plain" : "text/html"};charset=utf-8` });
}

// --- Languages and models --------------------------------------------------------------------------------------

/** Looks for the site's models, and loads the one for the languages that the address wants. */
async function start() {
  try {
    await site.load();
    if (site.sources.length === 0) throw new Error("The site's list of models is empty.");
  } catch (error) {
    tell("The list of models could not be loaded", error);
    throw error;
  }
  const { sources } = site;
  const languages = sources.map((tag) => ({ tag, missing: site.isKept(tag) ? 0 : NaN }));
  offerLanguages(ui.sourceLanguage, languages, { chosen: settings.get("from") ?? sources[0] });
  fillTargets(settings.get("to") ?? undefined);
  return loadModel();
}

/** @param {string} [chosen] */
function fillTargets(chosen) {
  const from = ui.sourceLanguage.value;
  const targets = targetsFrom(site.models, from);
  const languages = targets.map((tag) => ({ tag, missing: site.missing(from, tag) ?? NaN }));
  offerLanguages(ui.targetLanguage, languages, { chosen: chosen ?? targets[0] });
}

async function loadModel() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const [sourceLanguage, targetLanguage] = [ui.sourceLanguage.value, ui.targetLanguage.value];
  const pair = `${languageName(sourceLanguage)}–${languageName(targetLanguage)}`;
  const names = stepsBetween(site.models, sourceLanguage, targetLanguage).map(({ chosen }) => chosen.name);
  const job = loadingBar.begin(`Loading the ${pair} model…`);
  try {
    const created = await Translator.create({
      sourceLanguage,
      targetLanguage,
      models: site.lists,
      model: names.length > 0 ? names : undefined,
      signal,
      threads: settings.has("threads") ? Number(settings.get("threads")) : undefined,
      beam: settings.has("beam") ? Number(settings.get("beam")) : undefined,
      variant: /** @type {any} */ (settings.get("variant") ?? undefined),
      monitor(monitor) {
        monitor.ondownloadprogress = ({ loaded }) =>
          job.show(`Loading the ${pair} model: ${percent.format(loaded)}`, loaded);
      },
    });
    keepForOffline(created.info.variant).catch((error) => console.warn("not kept for offline use", error));
    return created;
  } catch (error) {
    if (!signal.aborted) tell(`The ${pair} model could not be loaded`, error);
    throw error;
  } finally {
    job.end();
  }
}

/**
 * Goes on with another translator.
 * @param {Promise<Translator>} coming
 */
function use(coming) {
  translator?.then(
    (before) => before.destroy(),
    () => {},
  );
  translator = coming;
  // Whoever waits for it sees why it does not come.
  coming.catch(() => {});
  live?.restore();
  live = null;
  working.abort();
  const what = opened;
  if (!what) return;
  delete what.translated;
  if (shown.page) translateDocument();
  else if (what.file) guard(takeBook(what.file));
}

// --- Wiring ----------------------------------------------------------------------------------------------------

ui.open.addEventListener("click", () => ui.file.click());
ui.file.addEventListener("change", () => {
  const [file] = ui.file.files ?? [];
  if (file) guard(openFile(file));
  // The same file can be chosen again.
  ui.file.value = "";
});
ui.demonstration.addEventListener("click", () => {
  const open = async () => {
    const response = await fetch(new URL("../demonstration.html", import.meta.url));
    if (!response.ok) throw new Error(`the server responded with ${response.status}`);
    return new File([await response.blob()], "demonstration.html", { type: "text/html" });
  };
  guard(openFile(open()));
});
ui.original.addEventListener("click", () => {
  if (!live) return;
  if (live.isActive) {
    live.restore();
    say("");
  } else live.resume();
  setPressed(!live.isActive);
});
ui.save.addEventListener("click", () => {
  save().catch((error) => tell("The document could not be saved", error));
});
ui.retry.addEventListener("click", () => {
  hideProblem(ui.open);
  use(site.models.length > 0 ? loadModel() : start());
});
ui.sourceLanguage.addEventListener("change", () => {
  fillTargets(ui.targetLanguage.value);
  use(loadModel());
});
ui.targetLanguage.addEventListener("change", () => use(loadModel()));
document.addEventListener("dragover", dragged);
document.addEventListener("drop", dragged);
document.addEventListener("paste", pasted);

use(start());
