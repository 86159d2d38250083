/**
 * What the browser calls: menus, shortcuts, pages that arrive. It remembers nothing, so the browser may end and start it as it likes; pages
 * know that they are translated, settings are stored.
 */
import { api, hasOffscreen } from "./api.js";
import { detectLanguage, primary } from "./language.js";
import { allModels, storedBytes } from "./known-models.js";
import { CONTENT_SCRIPT, registerScript } from "./permissions.js";
import { askFrames, askPage } from "./protocol.js";
import { readSettings } from "./settings.js";

/** @typedef {import("./protocol.js").Sample} Sample */
/** @typedef {import("./protocol.js").BackgroundQuestions} BackgroundQuestions */

const ENGINE = "extension/offscreen.html";

/** @type {Promise<void> | null} */
let starting = null;

/** Starts Chrome's document for the engine, unless it is there. */
async function ensureEngine() {
  if (!hasOffscreen) return;
  starting ??= (async () => {
    const contexts = await api.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] });
    if (contexts.length > 0) return;
    await api.offscreen.createDocument({
      url: ENGINE,
      reasons: ["WORKERS"],
      justification: "The translation engine runs in workers.",
    });
  })();
  try {
    await starting;
  } finally {
    starting = null;
  }
}

/** The language of a page. @param {Sample} sample */
const languageOfPage = async ({ declared, text }) => (await detectLanguage(text)) ?? primary(declared);

/**
 * The pair to translate a tab with: from its language into the reader's, or into another if there is a model for that only.
 * @param {Sample} sample
 * @returns {Promise<import("./protocol.js").FittingPair | null>}
 */
async function pairFor(sample) {
  const settings = await readSettings();
  const models = await allModels();
  const detected = await languageOfPage(sample);
  const reader = primary(settings.target || api.i18n.getUILanguage());
  const fitting = models.filter((model) => primary(model.source) === detected);
  const model = fitting.find((model) => primary(model.target) === reader) ?? fitting[0];
  if (model) return { source: model.source, target: model.target, detected, isWanted: true };
  return detected ? { source: detected, target: reader, detected, isWanted: false } : null;
}

/** Whether a model is here that translates a pair: no text of a page has one fetched. @param {string} source @param {string} target */
async function hasModel(source, target) {
  for (const model of await allModels()) {
    if (primary(model.source) !== source || primary(model.target) !== primary(target)) continue;
    const size = model.files.reduce((sum, file) => sum + file.size, 0);
    if ((await storedBytes(model)) === size) return true;
  }
  return false;
}

/** How a site is to be shown. @param {string} origin */
async function wayFor(origin) {
  const { show, ways } = await readSettings();
  return ways[origin] ?? show;
}

/** @param {number} tabId */
async function inject(tabId) {
  await api.scripting.executeScript({ target: { tabId, allFrames: true }, files: [CONTENT_SCRIPT] });
}

/** Translates a tab, or puts it back. @param {number} tabId */
async function toggle(tabId) {
  await inject(tabId);
  const { active } = await askPage(tabId, { type: "state" });
  if (active) {
    await askFrames(tabId, { type: "restore" });
    return;
  }
  const pair = await pairFor(await askPage(tabId, { type: "sample" }));
  if (!pair?.isWanted) return;
  const [where] = await api.scripting.executeScript({ target: { tabId }, func: () => location.origin });
  const { source, target } = pair;
  await askFrames(tabId, { type: "translate", source, target, show: await wayFor(where.result) });
}

/** @param {number} tabId */
async function translateSelection(tabId) {
  await inject(tabId);
  const pair = await pairFor(await askPage(tabId, { type: "sample" }));
  if (pair) await askFrames(tabId, { type: "selection", source: pair.source, target: pair.target });
}

/** Translates what is typed in the tab's field into the language of the page. @param {number} tabId */
async function translateTyped(tabId) {
  await inject(tabId);
  const typed = await askPage(tabId, { type: "typed-sample" });
  if (!typed) return;
  const { source: own } = (await askPage(tabId, { type: "state" })).pair ?? {};
  const target = own ?? (await languageOfPage(await askPage(tabId, { type: "sample" })));
  const { target: reader } = await readSettings();
  const source = (await detectLanguage(typed)) ?? primary(reader || api.i18n.getUILanguage());
  if (source !== target) await askPage(tabId, { type: "typed", source, target });
}

/**
 * What is to be done with a page that has just arrived.
 * @param {Sample} sample
 * @param {any} sender
 */
async function arrived(sample, { tab, origin, url }) {
  const settings = await readSettings();
  const where = origin ?? new URL(url).origin;
  if (settings.never.includes(where)) return null;
  const show = settings.ways[where] ?? settings.show;
  const site = settings.sites[where];
  if (site) return { ...site, show };
  if (Object.keys(settings.languages).length === 0 && !settings.offer) return null;
  const source = await languageOfPage(sample);
  const target = settings.languages[source];
  if (target) return { source, target, show };
  const reader = primary(settings.target || api.i18n.getUILanguage());
  const pair = settings.offer && source !== reader ? await pairFor(sample) : null;
  if (pair?.isWanted && tab) {
    await api.action.setBadgeText({ tabId: tab.id, text: "?" });
    await api.action.setTitle({ tabId: tab.id, title: api.i18n.getMessage("offer") });
  }
  return null;
}

/** @param {string} text @param {any} sender */
async function badge(text, { tab }) {
  if (tab) await api.action.setBadgeText({ tabId: tab.id, text });
}

/**
 * @type {{[T in keyof BackgroundQuestions]: (question: import("./protocol.js").Question<BackgroundQuestions, T>, sender: any) =>
 *   Promise<import("./protocol.js").Answer<BackgroundQuestions, T> | void>}}
 */
const ANSWERS = {
  engine: ensureEngine,
  settings: readSettings,
  arrived,
  pair: ({ sample }) => pairFor(sample),
  "has-model": ({ source, target }) => hasModel(source, target),
  complete: (_, sender) => badge("✓", sender),
  restored: (_, sender) => badge("", sender),
  "engine-idle": async () => {
    if (hasOffscreen) await api.offscreen.closeDocument().catch(() => {});
  },
};

api.runtime.onMessage.addListener(
  (/** @type {any} */ question, /** @type {any} */ sender, /** @type {any} */ respond) => {
    if (!Object.hasOwn(ANSWERS, question.type)) return false;
    const answer = ANSWERS[/** @type {keyof BackgroundQuestions} */ (question.type)];
    answer(question, sender).then(
      (result) => respond(result ?? null),
      (error) => {
        console.error(error);
        respond(null);
      },
    );
    return true;
  },
);

api.runtime.onInstalled.addListener(() => {
  // Browsers forget registered scripts with an update.
  registerScript().catch(console.error);
  api.contextMenus.create({ id: "page", contexts: ["page"], title: api.i18n.getMessage("translatePage") });
  api.contextMenus.create({
    id: "selection",
    contexts: ["selection"],
    title: api.i18n.getMessage("translateSelection"),
  });
  api.contextMenus.create({ id: "typed", contexts: ["editable"], title: api.i18n.getMessage("translateTyped") });
});

api.permissions.onAdded.addListener(() => registerScript().catch(console.error));

api.contextMenus.onClicked.addListener((/** @type {any} */ { menuItemId }, /** @type {any} */ tab) => {
  const action = { selection: translateSelection, typed: translateTyped }[/** @type {string} */ (menuItemId)] ?? toggle;
  action(tab.id).catch(console.error);
});

api.commands.onCommand.addListener((/** @type {string} */ command, /** @type {any} */ tab) => {
  const action = {
    "translate-page": toggle,
    "translate-selection": translateSelection,
    "translate-typed": translateTyped,
  }[command];
  action?.(tab.id).catch(console.error);
});
