/**
 * The one engine for all tabs and frames. Pages connect to it with ports; `remote.js` is the other end.
 */
import { EngineConnection } from "../library/connection.js";
import { ModelStore } from "../library/storage.js";
import { api } from "./api.js";
import { bestRoute } from "./models.js";
import { ENGINE_PORT, askBackground } from "./protocol.js";
import { readSettings } from "./settings.js";

/** @typedef {import("../library/connection.js").BlockRequest} BlockRequest */
/** @typedef {import("./protocol.js").ToEngine} ToEngine */
/** @typedef {import("./protocol.js").FromEngine} FromEngine */

/** A loaded model, or one that is being loaded. */
class Loaded {
  /** @type {Promise<EngineConnection>} */
  connection;
  #pending = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #unload;

  /**
   * @param {string} source
   * @param {string} target
   * @param {() => void} unload called when nothing has been asked of it for long
   */
  constructor(source, target, unload) {
    this.#unload = unload;
    /** @type {Set<(message: FromEngine) => void>} */
    this.listeners = new Set();
    this.connection = this.#load(source, target);
    this.connection.catch(() => {});
  }

  /** @param {string} source @param {string} target */
  async #load(source, target) {
    const models = await bestRoute(source, target);
    if (models.length === 0)
      throw new Error(`There is no model from ${source} to ${target}; the options page shows which there are.`);
    const connection = new EngineConnection(
      { models },
      {
        progress: (loaded, total) => {
          for (const listener of this.listeners) listener({ type: "loading", loaded, total });
        },
      },
    );
    await connection.loaded;
    // Versions that this one has replaced.
    await (await ModelStore.open())?.pruneUnlisted().catch(() => {});
    return connection;
  }

  begin() {
    this.#pending++;
    clearTimeout(this.#timer);
  }

  async end() {
    if (--this.#pending > 0) return;
    const { idleMinutes } = await readSettings();
    clearTimeout(this.#timer);
    if (this.#pending === 0) this.#timer = setTimeout(this.#unload, idleMinutes * 60_000);
  }
}

/** @type {Map<string, Loaded>} */
const engines = new Map();

/** @param {string} source @param {string} target */
function engineFor(source, target) {
  const pair = `${source} ${target}`;
  const known = engines.get(pair);
  if (known) return known;
  const forget = async () => {
    if (engines.get(pair) === loaded) engines.delete(pair);
    const connection = await loaded.connection.catch(() => null);
    connection?.close(new DOMException("The model was not needed for some minutes.", "AbortError"));
    // With the document the rest of its memory goes too.
    if (engines.size === 0) askBackground({ type: "engine-idle" }).catch(() => {});
  };
  const loaded = new Loaded(source, target, forget);
  engines.set(pair, loaded);
  loaded.connection.catch(() => engines.delete(pair));
  return loaded;
}

/** @param {any} port */
function serve(port) {
  /** @type {Map<number, BlockRequest>} */
  const requests = new Map();
  /** @type {Set<number>} */
  const wanted = new Set();
  /** @type {{source: string, target: string}} */
  let pair = { source: "", target: "" };
  /** @param {FromEngine} message */
  const post = (message) => {
    try {
      port.postMessage(message);
    } catch {
      // The page has gone; its port tells in a moment.
    }
  };
  /** @param {Extract<ToEngine, {type: "block"}>} message */
  const translate = async ({ id, text, nodes, priority }) => {
    const engine = engineFor(pair.source, pair.target);
    engine.listeners.add(post);
    engine.begin();
    wanted.add(id);
    try {
      const connection = await engine.connection;
      if (!wanted.has(id)) return;
      const request = connection.translateBlock(text, Uint32Array.from(nodes), priority);
      requests.set(id, request);
      const result = await request.result;
      post({ type: "translated", id, text: result.text, places: Array.from(result.places) });
    } catch (error) {
      if (wanted.has(id))
        post({ type: "refused", id, message: error instanceof Error ? error.message : String(error) });
      const connection = await engine.connection.catch(() => null);
      if (connection?.closed) engines.delete(`${pair.source} ${pair.target}`);
    } finally {
      wanted.delete(id);
      requests.delete(id);
      engine.end();
    }
  };
  /** @param {number} id */
  const cancel = (id) => {
    wanted.delete(id);
    requests.get(id)?.cancel();
  };
  port.onMessage.addListener((/** @type {ToEngine} */ message) => {
    if (message.type === "open") pair = message;
    else if (message.type === "block") translate(message);
    else if (message.type === "priority") requests.get(message.id)?.setPriority(message.priority);
    else cancel(message.id);
  });
  port.onDisconnect.addListener(() => {
    for (const id of [...wanted]) cancel(id);
    for (const engine of engines.values()) engine.listeners.delete(post);
  });
}

/** Answers pages from now on. */
export function hostEngine() {
  api.runtime.onConnect.addListener((/** @type {any} */ port) => {
    if (port.name === ENGINE_PORT) serve(port);
  });
}
