/**
 * The page that translates whole documents: files that are opened or dropped, and what is pasted.
 */
import { keepForOffline } from "./keep.js";
import {
  element,
  hideProblem,
  languageName,
  offerLanguages,
  progress,
  showProblem,
  showProgress,
  wantedModel,
} from "./parts.js";
import { PageTranslation, Translator, listModels } from "./wanderwort.js";

/** @typedef {import("./wanderwort.js").ModelEntry} ModelEntry */

/** Larger files are no documents for readers. */
const MOST_BYTES = 50_000_000;

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
 */

/** @type {ModelEntry[]} */
let models = [];
/** @type {Promise<Translator> | null} */
let translator = null;
/** The looking for models. @type {Promise<void> | undefined} */
let starting;
/** Ends the loading that is under way. */
let loading = new AbortController();
/** @type {Opened | null} */
let opened = null;
/** @type {PageTranslation | null} */
let live = null;

// --- Documents in ----------------------------------------------------------------------------------------------

/** @param {string} text */
function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A page for a text without markup, a paragraph for each of its own. @param {string} text */
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
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is too large: ${file.size} bytes, at most ${MOST_BYTES}.`);
  const bytes = await file.arrayBuffer();
  const isPlain = !/\.x?html?$/i.test(file.name) && file.type !== "text/html";
  show(decode(bytes), { name: file.name, isPlain });
}

/** @param {ArrayBuffer} bytes */
function decode(bytes) {
  // What a page says of its own encoding stands in its first kilobyte.
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
  hideProblem();
  live?.restore();
  live = null;
  opened = what;
  ui.empty.hidden = true;
  ui.document.hidden = false;
  ui.document.onload = () => translateDocument();
  ui.document.srcdoc = what.isPlain ? pageOfText(content) : content;
  ui.status.textContent = "";
}

async function translateDocument() {
  const page = ui.document.contentDocument;
  const what = opened;
  if (!page || !what) return;
  // Files that are dropped on it are documents too.
  for (const type of ["dragover", "drop"]) page.addEventListener(type, /** @type {any} */ (dragged));
  page.addEventListener("paste", pasted);
  try {
    // What was opened before the list of models has come waits for it.
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
      ui.status.textContent = `${what.name}: ${current.progress.translated} texts translated in ${seconds} s.`;
      ui.save.disabled = false;
    });
    current.addEventListener("error", (event) => {
      showProblem("The translation stopped", event.error);
    });
    ui.original.disabled = false;
    setPressed(false);
  } catch (error) {
    // `loadModel` has said it.
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
  take(event.dataTransfer, "What was dropped");
}

/** @param {ClipboardEvent} event */
function pasted(event) {
  if (!event.clipboardData) return;
  event.preventDefault();
  take(event.clipboardData, "What was pasted");
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

function save() {
  const page = ui.document.contentDocument;
  if (!page || !opened) return;
  const copy = /** @type {HTMLElement} */ (page.documentElement.cloneNode(true));
  // What the translation shows beside the page is not part of it.
  for (const child of [...copy.children]) if (!/^(head|body|frameset)$/.test(child.localName)) child.remove();
  const { name, isPlain } = opened;
  const content = isPlain
    ? Array.from(page.querySelectorAll("p"), (p) => p.textContent).join("\n\n")
    : `<!doctype html>\n${copy.outerHTML}\n`;
  const link = document.createElement("a");
  const type = isPlain ? "text/plain" : "text/html";
  link.href = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const stem = name.replace(/\.\w+$/, "");
  link.download = `${stem}.${ui.targetLanguage.value}.${isPlain ? "txt" : "html"}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// --- Languages and models --------------------------------------------------------------------------------------

async function start() {
  hideProblem();
  try {
    models = await listModels();
    if (models.length === 0) throw new Error("The site's list of models is empty.");
    offerLanguages(
      ui.sourceLanguage,
      models.map((model) => model.source),
      settings.get("from") ?? undefined,
    );
    fillTargets(settings.get("to") ?? undefined);
    translator = loadModel();
    translator.catch(() => {});
  } catch (error) {
    showProblem("The list of models could not be loaded", error);
  }
}

/** @param {string} [chosen] */
function fillTargets(chosen) {
  const fitting = models.filter((model) => model.source === ui.sourceLanguage.value);
  offerLanguages(
    ui.targetLanguage,
    fitting.map((model) => model.target),
    chosen,
  );
}

async function loadModel() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const [sourceLanguage, targetLanguage] = [ui.sourceLanguage.value, ui.targetLanguage.value];
  const pair = `${languageName(sourceLanguage)}–${languageName(targetLanguage)}`;
  showProgress(`Loading the ${pair} model…`);
  try {
    const created = await Translator.create({
      sourceLanguage,
      targetLanguage,
      model: wantedModel(models, sourceLanguage, targetLanguage),
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
  (await before?.catch(() => null))?.destroy();
  if (opened) translateDocument();
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
    const response = await fetch(new URL("demonstration.html", import.meta.url));
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    show(await response.text(), { name: "demonstration.html", isPlain: false });
  };
  guard(open());
});
ui.original.addEventListener("click", () => {
  if (!live) return;
  if (live.isActive) live.restore();
  else live.resume();
  setPressed(!live.isActive);
});
ui.save.addEventListener("click", save);
ui.retry.addEventListener("click", () => {
  hideProblem();
  if (models.length > 0) changeLanguages();
  else starting = start().then(() => (opened ? translateDocument() : undefined));
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
