/**
 * The dialog about languages: asks before further lists of models are looked up, and shows and deletes what is on this device.
 */
import { modelSize } from "../library/catalogue.js";
import { removeModel } from "../library/wanderwort.js";
import { setWantsMore } from "./catalogue.js";
import { languageName } from "./parts.js";

/** @typedef {import("./catalogue.js").SiteModels} SiteModels */
/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {ModelEntry} model */
const describe = (model) => `${languageName(model.source)} to ${languageName(model.target)}`;

/**
 * @param {{button: HTMLButtonElement, dialog: HTMLDialogElement, offer: HTMLElement, hosts: HTMLElement, look: HTMLButtonElement,
 *   forget: HTMLButtonElement, notes: HTMLElement, kept: HTMLElement, list: HTMLElement}} ui
 * @param {SiteModels} site
 * @param {{changed: () => Promise<unknown>, deleted: (model: ModelEntry) => void}} then `changed`: load the lists again; `deleted`: the
 *   model is not on this device any more
 */
export function offerMoreLanguages(ui, site, then) {
  let shown = "";
  const show = () => {
    ui.offer.hidden = site.hasMore || site.more.length === 0;
    ui.look.hidden = ui.offer.hidden;
    ui.forget.hidden = !site.hasMore;
    const hosts = [...new Set(site.more.map((address) => new URL(address).host))];
    ui.hosts.textContent = hosts.join(", ");
    ui.notes.textContent = site.hasMore ? site.notes.join(" ") : "";
    ui.notes.hidden = ui.notes.textContent === "";
    ui.kept.hidden = site.kept.length === 0;
    const names = site.kept.map(({ name }) => name).join();
    // Rows that stay keep the focus, and stay under the pointer.
    if (names !== shown) ui.list.replaceChildren(...site.kept.map(row));
    shown = names;
  };
  const row = (/** @type {ModelEntry} */ model) => {
    const line = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Delete" });
    button.setAttribute("aria-label", `Delete ${describe(model)}, ${model.name}`);
    button.addEventListener("click", async () => {
      const next = line.nextElementSibling ?? line.previousElementSibling;
      const others = site.kept.filter((other) => other !== model);
      await removeModel(model, others);
      await site.look();
      then.deleted(model);
      show();
      // The button is gone, and the focus with it.
      const rows = Array.from(ui.list.children);
      const place = next && rows.find(({ textContent }) => textContent === next.textContent);
      (place?.querySelector("button") ?? ui.dialog.querySelector("button:not([hidden])"))?.focus();
    });
    line.append(`${describe(model)}, ${model.name}, ${megabytes(modelSize(model))} `, button);
    return line;
  };
  const change = async (/** @type {boolean} */ wanted) => {
    setWantsMore(wanted);
    ui.look.disabled = true;
    ui.forget.disabled = true;
    try {
      await then.changed();
    } finally {
      ui.look.disabled = false;
      ui.forget.disabled = false;
    }
    show();
  };
  ui.button.addEventListener("click", async () => {
    show();
    ui.dialog.showModal();
    await site.look();
    show();
  });
  ui.look.addEventListener("click", () => change(true));
  ui.forget.addEventListener("click", () => change(false));
}
