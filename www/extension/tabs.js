/**
 * Translating a tab once a model is there for it.
 */
import { askFrames, askPage } from "./protocol.js";

/**
 * Translates a tab, unless it shows another page by now.
 * @param {import("./protocol.js").Order} order
 */
export async function translateTab({ tab, page, ...wanted }) {
  const state = await askPage(tab, { type: "state" });
  if (state.page === page) await askFrames(tab, { type: "translate", ...wanted });
}
