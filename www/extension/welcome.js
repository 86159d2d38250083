/**
 * The page that opens once, when the extension has been installed: which languages does the reader read?
 */
import { localize } from "./messages.js";
import { offerReads, presetReads } from "./reads.js";
import { changeSettings, readSettings } from "./settings.js";

/** @template {HTMLElement} T @param {string} id @returns {T} */
const element = (id) => /** @type {T} */ (document.getElementById(id));

async function start() {
  localize(document);
  const settings = await readSettings();
  let reads = settings.reads.length > 0 ? settings.reads : presetReads();
  let isSaved = settings.reads.length > 0;
  const save = () => changeSettings({ reads, target: "" });
  offerReads(element("reads"), reads, (changed) => {
    reads = changed;
    if (isSaved) save().catch(console.error);
  });
  element("done").addEventListener("click", async () => {
    await save();
    isSaved = true;
    element("next").hidden = false;
    element("next-title").focus();
  });
}

start().catch(console.error);
