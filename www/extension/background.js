/**
 * What the browser calls: menus, shortcuts, pages that arrive. It remembers nothing, so the browser may end and start it as it likes; pages
 * know whether they are translated, and settings are stored.
 */
import { api, hasOffscreen } from "./api.js";
import { areAlike } from "../library/alike.js";
import { canonicalTag, isIdentity, targetsFrom } from "../library/catalogue.js";
import { allModels, bestRoute, missingBytes } from "./known-models.js";
import { detectLanguage, detectSurely, isRead, primary } from "./language.js";
import { CONTENT_SCRIPT, registerScript } from "./permissions.js";
import { askFrames, askPage } from "./protocol.js";
import { readSettings, wantedTarget } from "./settings.js";
import { translateTab } from "./tabs.js";

/** @typedef {import("./protocol.js").Sample} Sample */
/** @typedef {import("./protocol.js").BackgroundQuestions} BackgroundQuestions */

const ENGINE = "extension/offscreen.html";
const WELCOME = "extension/welcome.html";

/** @type {Promise<void> | null} */
let starting = null;

/** Whether the page that holds the engine is there: Firefox's background page always is, Chrome's document only when it is needed. */
async function engineRuns() {
  if (!hasOffscreen) return true;
  const contexts = await api.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] });
  return contexts.length > 0;
}

/** Starts Chrome's document for the engine, unless it is there. */
async function ensureEngine() {
  if (!hasOffscreen) return;
  starting ??= (async () => {
    if (await engineRuns()) return;
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

/** The language of a page; empty if nothing indicates it. @param {Sample} sample */
async function languageOfPage({ declared, text }) {
  const detected = await detectLanguage(text);
  let said = "";
  try {
    said = primary(canonicalTag(declared));
  } catch {
    // Pages declare all kinds of things.
  }
  // Among languages that are alike, the page knows better.
  return detected && !areAlike(detected, said) ? detected : said;
}

/**
 * The pair to translate a tab with: from its language into the reader's or, if the reader can read the page or has not said anything, into
 * another language if there is a model only for that.
 * @param {Sample} sample
 * @returns {Promise<import("./protocol.js").FittingPair | null>}
 */
async function pairFor(sample) {
  const settings = await readSettings();
  const source = await languageOfPage(sample);
  if (!source) return null;
  const { reads } = settings;
  const wanted = wantedTarget(settings);
  const known = isRead(source, reads.length > 0 ? reads : [wanted]);
  const models = await allModels({ fresh: false });
  const reachable = targetsFrom(models, source);
  const fitting = reachable.find((tag) => isIdentity(tag, wanted));
  const target = fitting ?? (known || reads.length === 0 ? reachable[0] : undefined) ?? wanted;
  return { source, target, isRead: known, ...(await routeOf(source, target, models)) };
}

/**
 * What serves a pair without the reader being asked.
 * @param {string} source
 * @param {string} target
 * @param {import("./known-models.js").ModelEntry[]} [models]
 */
async function routeOf(source, target, models) {
  const route = await bestRoute(source, target, models, { here: true });
  const isHere = route.length > 0 && (await missingBytes(route)) === 0;
  return { models: route.map(({ name }) => name), isHere };
}

/**
 * Whether texts in a language other than the page's are translated too: no text of a page causes a model to be fetched, and what the reader
 * can read stays.
 * @param {string} source
 * @param {string} target
 */
async function hasModel(source, target) {
  const { reads } = await readSettings();
  return !isRead(source, reads) && (await routeOf(source, target)).isHere;
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
  // The button's window says what has to be downloaded first.
  if (!pair?.isHere) return openPopup();
  const [where] = await api.scripting.executeScript({ target: { tabId }, func: () => location.origin });
  const { source, target, models } = pair;
  await askFrames(tabId, { type: "translate", source, target, models, show: await wayFor(where.result) });
}

/** Not every browser lets an extension open it. */
const openPopup = async () => void (await api.action.openPopup?.().catch(() => {}));

/** @param {number} tabId */
async function translateSelection(tabId) {
  await inject(tabId);
  const pair = await pairFor(await askPage(tabId, { type: "sample" }));
  if (!pair?.isHere) return openPopup();
  const { source, target, models } = pair;
  await askFrames(tabId, { type: "selection", source, target, models });
}

/**
 * The field that the reader writes in.
 * @param {number} tabId
 * @param {number} [frameId] the frame that it is in; otherwise it is in the one that has the focus
 * @returns {Promise<{frameId: number, text: string, whole: string} | null>} `text` is what is to be translated of the whole
 */
async function findField(tabId, frameId) {
  const results = await api.scripting.executeScript({
    target: { tabId, ...(frameId === undefined ? { allFrames: true } : { frameIds: [frameId] }) },
    func: () => /** @type {any} */ (globalThis).wanderwort?.typed(),
  });
  const fields = results.filter((/** @type {any} */ { result }) => result);
  const field = fields.find((/** @type {any} */ { result }) => result.hasFocus) ?? fields[0];
  return field ? { ...field.result, frameId: field.frameId } : null;
}

/**
 * Translates what is typed in the tab's field into the language of the page.
 * @param {number} tabId
 * @param {number} [frameId] the frame of the field, if it is known
 */
async function translateTyped(tabId, frameId) {
  await inject(tabId);
  const field = await findField(tabId, frameId);
  if (!field || field.text.trim() === "") return;
  // What stands in a field's own frame may be nothing but what is typed.
  const { source: own } = (await askPage(tabId, { type: "state" })).pair ?? {};
  const target = own ?? (await languageOfPage(await askPage(tabId, { type: "sample" })));
  // What is selected may be too short to tell.
  const detected = (await detectSurely(field.text)) ?? (await detectLanguage(field.whole));
  const source = detected ?? primary(wantedTarget(await readSettings()));
  if (source === target) return;
  const { models, isHere } = target === "" ? { models: [], isHere: false } : await routeOf(source, target);
  if (!isHere) return openPopup();
  await askPage(tabId, { type: "typed", source, target, models }, field.frameId);
}

/**
 * What is to be done with a page that has just arrived.
 * @param {Sample} sample
 * @param {any} sender
 */
async function arrived(sample, sender) {
  const { tab, origin, url } = sender;
  const settings = await readSettings();
  const where = origin ?? new URL(url).origin;
  if (settings.never.includes(where)) return null;
  const show = settings.ways[where] ?? settings.show;
  const site = settings.sites[where];
  if (site) return (await routeOf(site.source, site.target)).isHere ? { ...site, show } : null;
  if (Object.keys(settings.languages).length === 0 && !settings.offer) return null;
  const source = await languageOfPage(sample);
  const target = settings.languages[source];
  if (target) return (await routeOf(source, target)).isHere ? { source, target, show } : null;
  const pair = settings.offer && isPageItself(sender) ? await pairFor(sample) : null;
  if (pair && !pair.isRead && pair.models.length > 0) {
    await api.action.setBadgeText({ tabId: tab.id, text: "?" });
    await api.action.setTitle({ tabId: tab.id, title: api.i18n.getMessage("offer") });
  }
  return null;
}

/**
 * Whether a page of a tab says something, and not another site's frame in it: the button shows what holds for the tab.
 * @param {any} sender
 */
const isPageItself = ({ tab, frameId }) => tab !== undefined && frameId === 0;

/** @param {string} text @param {any} sender */
async function badge(text, sender) {
  if (isPageItself(sender)) await api.action.setBadgeText({ tabId: sender.tab.id, text });
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
  "engine-runs": engineRuns,
  installed: ({ order }) => translateTab(order),
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

api.runtime.onInstalled.addListener(async (/** @type {{reason: string}} */ { reason }) => {
  // Browsers forget registered scripts when the extension is updated.
  registerScript().catch(console.error);
  api.contextMenus.create({ id: "page", contexts: ["page"], title: api.i18n.getMessage("translatePage") });
  api.contextMenus.create({
    id: "selection",
    contexts: ["selection"],
    title: api.i18n.getMessage("translateSelection"),
  });
  api.contextMenus.create({ id: "typed", contexts: ["editable"], title: api.i18n.getMessage("translateTyped") });
  if (reason !== "install") return;
  const { reads } = await readSettings();
  if (reads.length === 0) await api.tabs.create({ url: api.runtime.getURL(WELCOME) });
});

api.permissions.onAdded.addListener(() => registerScript().catch(console.error));

api.contextMenus.onClicked.addListener((/** @type {any} */ { menuItemId, frameId }, /** @type {any} */ tab) => {
  const action = { selection: translateSelection, typed: translateTyped }[/** @type {string} */ (menuItemId)] ?? toggle;
  action(tab.id, frameId).catch(console.error);
});

api.commands.onCommand.addListener((/** @type {string} */ command, /** @type {any} */ tab) => {
  const action = {
    "translate-page": toggle,
    "translate-selection": translateSelection,
    "translate-typed": translateTyped,
  }[command];
  action?.(tab.id).catch(console.error);
});
