/**
 * Permissions are asked for when the reader wants what needs them, and for that alone.
 */
import { api } from "./api.js";

/** @param {string} id @param {string[]} matches */
async function register(id, matches) {
  const known = await api.scripting.getRegisteredContentScripts({ ids: [id] });
  if (known.length > 0) return;
  await api.scripting.registerContentScripts([
    { id, matches, js: ["extension/content.js"], allFrames: true, runAt: "document_idle", persistAcrossSessions: true },
  ]);
}

/** Lets pages of a site be translated when they arrive. @param {string} origin @returns {Promise<boolean>} */
export async function allowSite(origin) {
  const { protocol, hostname } = new URL(origin);
  // Match patterns know no ports.
  const matches = [`${protocol}//${hostname}/*`];
  if (!(await api.permissions.request({ origins: matches }))) return false;
  await register(`site ${hostname}`, matches);
  return true;
}

/** Lets every page be looked at when it arrives. @returns {Promise<boolean>} */
export async function allowEverywhere() {
  const matches = ["http://*/*", "https://*/*"];
  if (!(await api.permissions.request({ origins: matches }))) return false;
  await register("everywhere", matches);
  return true;
}
