/**
 * The page that translates whole documents: files that are opened or dropped, and what is pasted.
 */
import { SiteModels } from "./catalogue.js";
import { targetsFrom } from "../library/catalogue.js";
import { keepForOffline } from "./keep.js";
import {
  element,
  hideProblem,
  languageName,
  offerLanguages,
  progress,
  showProblem,
  showProgress,
  stepsBetween,
} from "./parts.js";
import { PageTranslation, Translator } from "../library/wanderwort.js";

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
  working: element("working", HTMLElement),
  workingBar: element("working-bar", HTMLProgressElement),
  workingText: element("working-text", HTMLElement),
  cancel: element("cancel", HTMLButtonElement),
  document: element("document", HTMLIFrameElement),
  status: element("status", HTMLElement),
};

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
/** @type {Promise<Translator> | null} */
let translator = null;
/** The search for models. @type {Promise<void> | undefined} */
let starting;
/** Ends the loading that is under way. */
let loading = new AbortController();
/** @type {Opened | null} */
let opened = null;
/** @type {PageTranslation | null} */
let live = null;
/** Ends the translation of a file that is under way. */
let working = new AbortController();

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

/** @param {File} file */
async function openFile(file) {
  const isPage = /\.x?html?$|\.xht$/i.test(file.name) || /^(text\/html|application\/xhtml\+xml)$/.test(file.type);
  const isPlain = /\.te?xt$/i.test(file.name) || file.type === "text/plain";
  if (!isPage && !isPlain) return takeBook(file);
  if (file.size > MOST_SHOWN_BYTES) {
    throw new Error(`${file.name} is too large: ${file.size} bytes; the limit is ${MOST_SHOWN_BYTES}.`);
  }
  const bytes = await file.arrayBuffer();
  show(decode(bytes), { name: file.name, isPlain: isPlain && !isPage, file });
}

/**
 * A file that is translated without being shown.
 * @param {File} file
 */
async function takeBook(file) {
  forget();
  const what = { name: file.name, isPlain: false, file };
  opened = what;
  await starting;
  const begun = performance.now();
  if (!(await translateFile(what)) || opened !== what) return;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  ui.status.textContent = `${file.name}: translated in ${seconds} s. Choose “Save” to store it.`;
  ui.save.disabled = false;
}

/** Closes what was open. */
function forget() {
  hideProblem();
  working.abort();
  live?.restore();
  live = null;
  opened = null;
  ui.document.hidden = true;
  ui.document.onload = null;
  ui.document.removeAttribute("srcdoc");
  ui.empty.hidden = true;
  ui.save.disabled = true;
  ui.original.disabled = true;
  ui.status.textContent = "";
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
  ui.working.hidden = false;
  ui.workingBar.removeAttribute("value");
  ui.workingText.textContent = `Reading ${what.name}…`;
  try {
    const started = await translator;
    if (!started) throw new Error("There is no model yet.");
    signal.throwIfAborted();
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      if (signal.aborted) return;
      ui.workingBar.value = total === 0 ? 1 : done / total;
      ui.workingText.textContent = `Translating ${what.name}: ${percent.format(ui.workingBar.value)}`;
    };
    what.translated = await started.translateDocument(what.file, { signal, progress });
    // So that a document opens without a network next time.
    keepForOffline("documents").catch((error) => console.warn("not kept for offline use", error));
    return what.translated;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (working === controller && opened === what) ui.status.textContent = `${what.name}: cancelled.`;
    return undefined;
  } finally {
    if (working === controller) ui.working.hidden = true;
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
  ui.document.hidden = false;
  ui.document.onload = () => translateDocument();
  ui.document.srcdoc = what.isPlain ? pageOfText(content) : content;
}

async function translateDocument() {
  const page = ui.document.contentDocument;
  const what = opened;
  if (!page || !what) return;
  // Files that are dropped on it are documents too.
  for (const type of ["dragover", "drop"]) page.addEventListener(type, /** @type {any} */ (dragged));
  page.addEventListener("paste", pasted);
  try {
    // What was opened before the list of models arrived waits for it.
    await starting;
    const started = await translator;
    if (!started || opened !== what || ui.document.contentDocument !== page) return;
    live?.restore();
    const current = new PageTranslation(started, { document: page });
    live = current;
    const begun = performance.now();
    current.addEventListener("progress", () => {
      if (live === current) tellProgress(current);
    });
    current.addEventListener("complete", () => {
      if (live !== current) return;
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      ui.status.textContent = `${what.name}: ${current.progress.translated} passages translated in ${seconds} s.`;
      ui.save.disabled = false;
    });
    current.addEventListener("error", (event) => {
      showProblem("The translation stopped", event.error);
    });
    ui.original.disabled = false;
    setPressed(false);
  } catch (error) {
    // `loadModel` has reported it.
    console.error(error);
  }
}

/** @param {PageTranslation} current */
function tellProgress(current) {
  const { translated, waiting } = current.progress;
  if (waiting > 0) ui.status.textContent = `Translating: ${percent.format(translated / (translated + waiting))}`;
}

/** @param {boolean} pressed */
function setPressed(pressed) {
  ui.original.setAttribute("aria-pressed", String(pressed));
}

/** @param {DragEvent} event */
function dragged(event) {
  if (!event.dataTransfer) return;
  event.preventDefault();
  if (event.type !== "drop") return;
  take(event.dataTransfer, "Dropped text");
}

/** @param {ClipboardEvent} event */
function pasted(event) {
  if (!event.clipboardData) return;
  event.preventDefault();
  take(event.clipboardData, "Pasted text");
}

/** @param {DataTransfer} data @param {string} name */
function take(data, name) {
  const [file] = data.files;
  if (file) return guard(openFile(file));
  const html = data.getData("text/html");
  const text = data.getData("text/plain");
  if (html) show(html, { name, isPlain: false });
  // The source of a page, copied from an editor.
  else if (/^\s*<(!doctype|html|body|div|p|h1|article|table|ul)\b/i.test(text)) show(text, { name, isPlain: false });
  else if (text) show(text, { name, isPlain: true });
}

/** @param {Promise<void>} action */
function guard(action) {
  action.catch((error) => showProblem("The document could not be opened", error));
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
  const page = ui.document.contentDocument;
  if (!page) return undefined;
  const copy = /** @type {HTMLElement} */ (page.documentElement.cloneNode(true));
  // What the translation shows beside the page is not part of it.
  for (const child of [...copy.children]) if (!/^(head|body|frameset)$/.test(child.localName)) child.remove();
  const content = isPlain
    ? Array.from(page.querySelectorAll("p"), (p) => p.textContent).join("\n\n")
    : `<!doctype html>\n${copy.outerHTML}\n`;
  return new Blob([content], { type: `${isPlain ? "text/plain" : "text/html"};charset=utf-8` });
}

// --- Languages and models --------------------------------------------------------------------------------------

async function start() {
  hideProblem();
  try {
    await site.load();
    const { sources } = site;
    if (sources.length === 0) throw new Error("The site's list of models is empty.");
    const languages = sources.map((tag) => ({ tag, missing: site.isKept(tag) ? 0 : NaN }));
    offerLanguages(ui.sourceLanguage, languages, { chosen: settings.get("from") ?? sources[0] });
    fillTargets(settings.get("to") ?? undefined);
    translator = loadModel();
    translator.catch(() => {});
  } catch (error) {
    showProblem("The list of models could not be loaded", error);
  }
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
  showProgress(`Loading the ${pair} model…`);
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
        monitor.ondownloadprogress = ({ loaded }) => {
          progress.bar.value = loaded;
          progress.text.textContent = `Loading the ${pair} model: ${percent.format(loaded)}`;
        };
      },
    });
    progress.box.hidden = true;
    keepForOffline(created.info.variant).catch((error) => console.warn("not kept for offline use", error));
    return created;
  } catch (error) {
    if (!signal.aborted) showProblem(`The ${pair} model could not be loaded`, error);
    throw error;
  }
}

async function changeLanguages() {
  const before = translator;
  live?.restore();
  live = null;
  translator = loadModel();
  translator.catch(() => {});
  working.abort();
  (await before?.catch(() => null))?.destroy();
  const what = opened;
  if (!what) return;
  delete what.translated;
  if (!ui.document.hidden) translateDocument();
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
    await openFile(new File([await response.blob()], "demonstration.html", { type: "text/html" }));
  };
  guard(open());
});
ui.original.addEventListener("click", () => {
  if (!live) return;
  if (live.isActive) live.restore();
  else live.resume();
  setPressed(!live.isActive);
});
ui.save.addEventListener("click", () => {
  save().catch((error) => showProblem("The document could not be saved", error));
});
ui.cancel.addEventListener("click", () => working.abort());
ui.retry.addEventListener("click", () => {
  hideProblem();
  if (site.models.length > 0) changeLanguages();
  else starting = start().then(() => (opened && !ui.document.hidden ? translateDocument() : undefined));
});
ui.sourceLanguage.addEventListener("change", () => {
  fillTargets(ui.targetLanguage.value);
  changeLanguages();
});
ui.targetLanguage.addEventListener("change", changeLanguages);
document.addEventListener("dragover", dragged);
document.addEventListener("drop", dragged);
document.addEventListener("paste", pasted);

starting = start();
