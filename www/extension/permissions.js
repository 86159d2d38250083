/**
 * Permissions are asked for when the reader wants something that needs them, and given back when nothing does any more.
 */
import { api } from "./api.js";
import { changeSettings, readSettings } from "./settings.js";

/** @typedef {import("./settings.js").Settings} Settings */

/** What runs in pages. The path begins at the root because Firefox resolves other paths against the calling page. */
export const CONTENT_SCRIPT = "/extension/content.js";

const EVERYWHERE = ["http://*/*", "https://*/*"];

/** Where Mozilla's lists and models are: the records, their attachments, and the registry with its files. */
const MODEL_HOSTS = [
  "https://firefox.settings.services.mozilla.com/*",
  "https://firefox-settings-attachments.cdn.mozilla.net/*",
  "https://storage.googleapis.com/*",
];

/** Match patterns have no ports. @param {string} origin */
function patternOf(origin) {
  const { protocol, hostname } = new URL(origin);
  return `${protocol}//${hostname}/*`;
}

/** Asks to look at pages of a site when they arrive; possible only right after a click. @param {string} origin @returns {Promise<boolean>} */
export const allowSite = (origin) => api.permissions.request({ origins: [patternOf(origin)] });

/** Asks to look at every page when it arrives; possible only right after a click. @returns {Promise<boolean>} */
export const allowEverywhere = () => api.permissions.request({ origins: EVERYWHERE });

/** Asks to fetch Mozilla's models and for room to keep them; possible only right after a click. @returns {Promise<boolean>} */
export function allowModels() {
  // Firefox has no permission for room that can be asked for.
  const { optional_permissions: permissions = [] } = api.runtime.getManifest();
  return api.permissions.request({ origins: MODEL_HOSTS, permissions });
}

/** Whether Mozilla's models may be fetched. @returns {Promise<boolean>} */
export const mayFetchModels = () => api.permissions.contains({ origins: MODEL_HOSTS });

/** Patterns of the pages that the settings want looked at. @param {Settings} settings @returns {string[]} */
function wantedPatterns({ offer, languages, sites }) {
  if (offer || Object.keys(languages).length > 0) return EVERYWHERE;
  return [...new Set(Object.keys(sites).map(patternOf))];
}

/** Makes the script run in the pages that the settings want looked at when they arrive, and in no others. */
export async function registerScript() {
  const wanted = wantedPatterns(await readSettings());
  // The popup, the options and the background may come here at the same time.
  await navigator.locks.request("wanderwort-scripts", async () => {
    /** @type {{id: string}[]} */
    const registered = await api.scripting.getRegisteredContentScripts();
    const ids = registered.map(({ id }) => id);
    const superfluous = ids.filter((id) => !wanted.includes(id));
    if (superfluous.length > 0) await api.scripting.unregisterContentScripts({ ids: superfluous });
    const script = { js: [CONTENT_SCRIPT], allFrames: true, runAt: "document_idle", persistAcrossSessions: true };
    const missing = wanted.filter((pattern) => !ids.includes(pattern));
    if (missing.length === 0) return;
    await api.scripting.registerContentScripts(missing.map((id) => ({ id, matches: [id], ...script })));
  });
}

/**
 * After a change of settings: registers the script again and gives back permissions that nothing needs any more.
 * @returns {Promise<string[]>} sites that are no longer always translated, since the browser forgot their own permission along with the one
 *   for every page
 */
export async function settingsChanged() {
  await registerScript();
  const settings = await readSettings();
  const wanted = wantedPatterns(settings);
  if (wanted === EVERYWHERE) return [];
  const { origins = [] } = await api.permissions.getAll();
  const needed = settings.more ? [...wanted, ...MODEL_HOSTS] : wanted;
  const superfluous = origins.filter((/** @type {string} */ pattern) => !needed.includes(pattern));
  // What a build's manifest itself requires cannot be given back.
  if (superfluous.length > 0) await api.permissions.remove({ origins: superfluous }).catch(() => false);
  /** @type {string[]} */
  const lost = [];
  for (const site of Object.keys(settings.sites)) {
    const pattern = { origins: [patternOf(site)] };
    const allowed =
      (await api.permissions.contains(pattern)) || (await api.permissions.request(pattern).catch(() => false));
    if (!allowed) lost.push(site);
  }
  if (lost.length === 0) return [];
  for (const site of lost) delete settings.sites[site];
  await changeSettings({ sites: settings.sites });
  await registerScript();
  return lost;
}
