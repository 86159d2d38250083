/**
 * What runs in a page, apart from the page's own scripts. Bundled into one classic script, since extensions cannot put modules into
 * pages.
 */
import { PageTranslation } from "../page/page.js";
import { api } from "./api.js";
import { RemoteTranslator } from "./remote.js";
import { showSelection } from "./selection.js";

/** @typedef {{source: string, target: string}} Pair */

/** So much text tells a language. */
const SAMPLE = 3000;

/** @type {PageTranslation | null} */
let live = null;
/** @type {RemoteTranslator | null} */
let translator = null;
/** @type {Pair | null} */
let pair = null;
let problem = "";

/** A frame that its parent may look into is translated by it. */
function belongsToParent() {
  try {
    return window.parent !== window && Boolean(window.parent.document);
  } catch {
    return false;
  }
}

/** @param {Pair} wanted */
function translate(wanted) {
  if (belongsToParent()) return;
  if (live && pair?.source === wanted.source && pair.target === wanted.target) {
    live.resume();
    return;
  }
  live?.restore();
  translator?.close();
  problem = "";
  pair = wanted;
  translator = new RemoteTranslator(wanted.source, wanted.target);
  live = new PageTranslation(translator);
  live.addEventListener("error", (event) => (problem ||= event.message ?? "The translation failed."));
  live.addEventListener("complete", () => api.runtime.sendMessage({ type: "complete" }).catch(() => {}));
}

function restore() {
  live?.restore();
  api.runtime.sendMessage({ type: "restored" }).catch(() => {});
}

function state() {
  return {
    active: live?.isActive ?? false,
    progress: live?.progress ?? null,
    loaded: translator?.loaded ?? 1,
    pair,
    problem,
  };
}

/** What tells the page's language. */
function sample() {
  const text = document.body?.innerText ?? document.documentElement?.textContent ?? "";
  return { declared: document.documentElement?.lang ?? "", text: text.slice(0, SAMPLE) };
}

/** @param {any} message */
function answer(message) {
  switch (message.type) {
    case "translate":
      translate(message);
      return state();
    case "restore":
      restore();
      return state();
    case "state":
      return state();
    case "sample":
      return sample();
    case "selection":
      if (window.getSelection()?.toString()) showSelection(new RemoteTranslator(message.source, message.target));
      return null;
    default:
      return undefined;
  }
}

// Injected once for each time the reader asks; the first stays.
const world = /** @type {any} */ (globalThis);
if (!world.wanderwortIsHere) {
  world.wanderwortIsHere = true;
  api.runtime.onMessage.addListener((/** @type {any} */ message, /** @type {any} */ _, /** @type {any} */ respond) => {
    const response = answer(message);
    if (response !== undefined) respond(response);
  });
  if (!belongsToParent()) {
    // The background knows what is to be done with this site without being asked.
    api.runtime
      .sendMessage({ type: "arrived", ...sample() })
      .then((/** @type {Pair | null} */ wanted) => wanted && translate(wanted))
      .catch((/** @type {unknown} */ error) => (problem = String(error)));
  }
}
