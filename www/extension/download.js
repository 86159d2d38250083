/**
 * A download of models as the button's window sees it. The engine does the work, and continues when the window is closed.
 */
import { api } from "./api.js";
import { Problem } from "./problems.js";
import { INSTALL_PORT, askBackground } from "./protocol.js";

/** @typedef {import("./protocol.js").FromInstaller} FromInstaller */
/** @typedef {import("./protocol.js").Order} Order */

export class Download {
  loaded = 0;
  total = 0;
  /** @type {any} */
  #port = null;
  /** How it ended. @type {Promise<Exclude<FromInstaller, {type: "progress"}>>} */
  ended;

  /** @param {Order | number} what what to download, or the tab whose download to follow */
  constructor(what) {
    this.ended = (async () => {
      // Makes the background start the engine's document where there is one.
      await askBackground({ type: "engine" });
      const port = (this.#port = api.runtime.connect({ name: INSTALL_PORT }));
      return new Promise((resolve, reject) => {
        port.onMessage.addListener((/** @type {FromInstaller} */ message) => {
          if (message.type !== "progress") return resolve(message);
          this.loaded = message.loaded;
          this.total = message.total;
        });
        port.onDisconnect.addListener(() => reject(new Problem("noEngine")));
        port.postMessage(typeof what === "number" ? { type: "watch", tab: what } : { type: "install", order: what });
      });
    })();
    this.ended.then(
      () => this.#port?.disconnect(),
      () => {},
    );
  }

  /** The download that is under way for a tab, if there is one. @param {number} tab */
  static async running(tab) {
    if (!(await askBackground({ type: "engine-runs" }))) return null;
    const download = new Download(tab);
    // Its state is told at once.
    const first = await Promise.race([download.ended, new Promise((resolve) => setTimeout(resolve, 300, null))]);
    return first === null ? download : null;
  }

  /** What has arrived is kept. */
  cancel() {
    this.#port?.postMessage({ type: "cancel" });
  }
}
