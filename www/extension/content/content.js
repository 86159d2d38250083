/**
 * What runs in a page, apart from the page's own scripts. Bundled into one classic script, since extensions cannot put modules into
 * pages.
 */
import { PageTranslation, takeOver } from "../../page/page.js";
import { api } from "../api.js";
import { detectSurely } from "../language.js";
import { locale, message } from "../messages.js";
import { problemOf } from "../problems.js";
import { askBackground } from "../protocol.js";
import { RemoteTranslator } from "./remote.js";
import { showSelection } from "./selection.js";
import { translateTyped, typed } from "./typed.js";

/** @typedef {import("../protocol.js").Pair & {show?: import("../protocol.js").Show}} Pair */
/** @typedef {import("../protocol.js").PageQuestions} PageQuestions */

/** How much text is enough to tell a language. */
const SAMPLE = 3000;

/** How long it is believed that there is no model for a language. */
const ASK_AGAIN_MS = 10_000;

/** Tells this page from others that its tab has shown. */
const PAGE = `${Date.now()} ${Math.random()}`;

/** Says that the page is translated. Firefox ends scripts with their extension, and then nothing else is left of them. */
const MARK = "data-wanderwort-translated";

/** @type {PageTranslation | null} */
let live = null;
/** Translators by the language they translate from. @type {Map<string, Promise<RemoteTranslator | null>>} */
const translators = new Map();
/** @type {RemoteTranslator | null} */
let translator = null;
/** @type {Pair | null} */
let pair = null;
/** What went wrong with the translation that the page shows. @type {import("../protocol.js").ProblemParts | null} */
let problem = null;
/** What the background knows of this page. @type {"" | "complete" | "restored"} */
let told = "";

/** A frame that its parent may look into is translated by it. */
function belongsToParent() {
  try {
    return window.parent !== window && Boolean(window.parent.document);
  } catch {
    return false;
  }
}

/** Whether the page shows a translation whose script has ended with an earlier version of the extension. */
const isStale = () => !live?.isActive && document.documentElement?.hasAttribute(MARK);

/** Who translates text of the page that is in a language other than the page's, if there is a model. @param {string} source */
function translatorFor(source) {
  let known = translators.get(source);
  if (!known) {
    const target = pair?.target ?? "";
    known = askBackground({ type: "has-model", source, target }).then((has) => {
      if (has) return new RemoteTranslator({ source, target });
      // A model may still come.
      setTimeout(() => translators.get(source) === known && translators.delete(source), ASK_AGAIN_MS);
      return null;
    });
    translators.set(source, known);
  }
  return known;
}

function closeTranslators() {
  translator?.close();
  for (const other of translators.values()) other.then((translator) => translator?.close());
  translators.clear();
}

/** @param {Pair} a @param {Pair} b */
const isSame = (a, b) => a.source === b.source && a.target === b.target && String(a.models) === String(b.models);

/** @param {Pair} wanted */
function translate(wanted) {
  if (belongsToParent() || isStale()) return;
  problem = null;
  const show = wanted.show ?? "translation";
  if (live && pair && isSame(pair, wanted)) {
    live.show = show;
    live.resume();
  } else {
    live?.restore();
    closeTranslators();
    translator = new RemoteTranslator(wanted);
    pair = wanted;
    const originalLabels = {
      original: message("original"),
      showOriginal: message("showOriginal"),
      showTranslation: message("showTranslation"),
      language: locale(),
    };
    live = new PageTranslation(translator, { show, detectLanguage: detectSurely, translatorFor, originalLabels });
    live.addEventListener("error", (event) => (problem ??= problemOf(event.error ?? event.message)));
    live.addEventListener("complete", () => tell("complete"));
    live.addEventListener("progress", mark);
  }
  pair = wanted;
  mark();
}

/** Keeps the mark up to date. */
function mark() {
  const root = document.documentElement;
  if (live?.isActive && pair) root?.setAttribute(MARK, pair.target);
  else root?.removeAttribute(MARK);
}

function restore() {
  problem = null;
  live?.restore();
  mark();
  tell("restored");
}

/** Tells the background what it does not know yet: it would be woken at every change of the page. @param {"complete" | "restored"} type */
function tell(type) {
  if (told === type) return;
  told = type;
  askBackground({ type }).catch(() => (told = ""));
}

/** @returns {import("../protocol.js").PageState} */
function state() {
  return {
    page: PAGE,
    active: live?.isActive ?? false,
    stale: isStale(),
    progress: live?.progress ?? null,
    loaded: translator?.loaded ?? 1,
    show: live?.show ?? "translation",
    pair,
    problem,
  };
}

/** @returns {import("../protocol.js").Sample} */
function sample() {
  const text = document.body?.innerText ?? document.documentElement?.textContent ?? "";
  return { declared: document.documentElement?.lang ?? "", text: text.slice(0, SAMPLE) };
}

/** @param {import("../protocol.js").AnyQuestion<PageQuestions>} question */
function answer(question) {
  switch (question.type) {
    case "translate":
      translate(question);
      return state();
    case "restore":
      restore();
      return state();
    case "show":
      if (live) live.show = question.show;
      return state();
    case "state":
      return state();
    case "sample":
      return sample();
    case "selection":
      showSelection(question);
      return null;
    case "typed":
      translateTyped(question);
      return null;
    default:
      return undefined;
  }
}

// Injected each time the reader asks; the first stays.
const world = /** @type {any} */ (globalThis);
if (!world.wanderwort) {
  // What an earlier version of the extension has translated is put back before anything is read.
  takeOver(document);
  // Asked in all frames at once, by the button's window and by the background.
  world.wanderwort = { state, typed };
  api.runtime.onMessage.addListener((/** @type {any} */ question, /** @type {any} */ _, /** @type {any} */ respond) => {
    const response = answer(question);
    if (response !== undefined) respond(response);
  });
  addEventListener("pageshow", ({ persisted }) => {
    // The browser has taken the mark off the button when the reader left the page.
    if (persisted) told = "";
  });
  if (!belongsToParent() && !isStale()) {
    // The background knows what is to be done with this site without the reader asking.
    askBackground({ type: "arrived", ...sample() })
      .then((wanted) => wanted && translate(wanted))
      .catch((error) => (problem = problemOf(error)));
  }
}
