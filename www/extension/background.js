/**
 * What the browser calls: menus, shortcuts, pages that arrive. It remembers nothing, so the browser may end and start it as it likes; pages
 * know that they are translated, settings are stored.
 */
import { api, hasOffscreen } from "./api.js";
import { CONTENT_SCRIPT, registerScript } from "./permissions.js";
import { readSettings } from "./settings.js";

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

/** @param {string} tag */
const primary = (tag) => (tag.split(/[-_]/)[0] ?? "").toLowerCase();

/** The language of a text, found by the browser itself on this device. @param {{declared: string, text: string}} sample */
async function detectLanguage({ declared, text }) {
  const { languages, isReliable } = await api.i18n.detectLanguage(text);
  const [best] = [...languages].sort((a, b) => b.percentage - a.percentage);
  if (best && (isReliable || best.percentage > 60)) return primary(best.language);
  return primary(declared);
}

/** The pair to translate a tab with. @param {{declared: string, text: string}} sample */
async function pairFor(sample) {
  const settings = await readSettings();
  const response = await fetch(settings.models);
  const list = /** @type {{models: {source: string, target: string}[]}} */ (await response.json());
  const source = await detectLanguage(sample);
  const fitting = list.models.filter((model) => primary(model.source) === source);
  const wanted = settings.target || primary(api.i18n.getUILanguage());
  const model = fitting.find((model) => primary(model.target) === primary(wanted)) ?? fitting[0] ?? list.models[0];
  return model
    ? { source: model.source, target: model.target, detected: source, isWanted: fitting.includes(model) }
    : null;
}

/** @param {number} tabId */
async function inject(tabId) {
  await api.scripting.executeScript({ target: { tabId, allFrames: true }, files: [CONTENT_SCRIPT] });
}

/** @param {number} tabId @param {unknown} message */
const tell = (tabId, message) => api.tabs.sendMessage(tabId, message, { frameId: 0 });

/** Translates a tab, or puts it back. @param {number} tabId */
async function toggle(tabId) {
  await inject(tabId);
  const { active } = await tell(tabId, { type: "state" });
  if (active) {
    await api.tabs.sendMessage(tabId, { type: "restore" });
    return;
  }
  const pair = await pairFor(await tell(tabId, { type: "sample" }));
  if (pair) await api.tabs.sendMessage(tabId, { type: "translate", source: pair.source, target: pair.target });
}

/** @param {number} tabId */
async function translateSelection(tabId) {
  await inject(tabId);
  const pair = await pairFor(await tell(tabId, { type: "sample" }));
  if (pair) await api.tabs.sendMessage(tabId, { type: "selection", source: pair.source, target: pair.target });
}

/**
 * What is to be done with a page that has just arrived.
 * @param {{declared: string, text: string}} sample
 * @param {any} sender
 */
async function arrived(sample, { tab, origin, url }) {
  const settings = await readSettings();
  const site = settings.sites[origin ?? new URL(url).origin];
  if (site) return site;
  if (Object.keys(settings.languages).length === 0 && !settings.offer) return null;
  const source = await detectLanguage(sample);
  const target = settings.languages[source];
  if (target) return { source, target };
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

api.runtime.onMessage.addListener(
  (/** @type {any} */ message, /** @type {any} */ sender, /** @type {any} */ respond) => {
    const work = {
      engine: ensureEngine,
      settings: readSettings,
      arrived: () => arrived(message, sender),
      pair: () => pairFor(message.sample),
      complete: () => badge("✓", sender),
      restored: () => badge("", sender),
      "engine-idle": async () => {
        if (hasOffscreen) await api.offscreen.closeDocument().catch(() => {});
      },
    }[/** @type {string} */ (message.type)];
    if (!work) return false;
    work().then(
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
});

api.permissions.onAdded.addListener(() => registerScript().catch(console.error));

api.contextMenus.onClicked.addListener((/** @type {any} */ { menuItemId }, /** @type {any} */ tab) => {
  (menuItemId === "selection" ? translateSelection : toggle)(tab.id).catch(console.error);
});

api.commands.onCommand.addListener((/** @type {string} */ command, /** @type {any} */ tab) => {
  if (command === "translate-page") toggle(tab.id).catch(console.error);
});
