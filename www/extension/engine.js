/**
 * The one engine for all tabs and frames, and the downloads that the reader has asked for. Pages connect to it with ports; `remote.js` is the
 * other end. Downloads continue when the button's window, which asked for them, is closed.
 */
import { EngineConnection } from "../library/connection.js";
import { memoryBudget } from "../library/budget.js";
import { ModelStore } from "../library/storage.js";
import { api } from "./api.js";
import { Engines } from "./engines.js";
import { allModels, bestRoute, importedChecksums } from "./known-models.js";
import { Problem, problemOf } from "./problems.js";
import { ENGINE_PORT, INSTALL_PORT, askBackground } from "./protocol.js";
import { readSettings } from "./settings.js";
import { translateTab } from "./tabs.js";

/** @typedef {import("../library/connection.js").BlockRequest} BlockRequest */
/** @typedef {import("../library/catalogue.js").ModelEntry} ModelEntry */
/** @typedef {import("./protocol.js").ToEngine} ToEngine */
/** @typedef {import("./protocol.js").FromEngine} FromEngine */
/** @typedef {import("./protocol.js").ToInstaller} ToInstaller */
/** @typedef {import("./protocol.js").FromInstaller} FromInstaller */
/** @typedef {import("./protocol.js").Order} Order */

/** What is known of models that were asked for, by name. @type {Map<string, ModelEntry>} */
const entries = new Map();

/** What must stay when there is no room for a download. @type {string[]} */
let keep = [];

const engines = new Engines({
  start: (names, progress) => {
    const models = names.flatMap((name) => entries.get(name) ?? []);
    const connection = new EngineConnection({ models, keep }, { progress });
    const prune = async () => (await ModelStore.open())?.pruneUnlisted();
    // Versions that these have replaced.
    connection.loaded.then(prune).catch(() => {});
    return connection;
  },
  limits: async () => {
    const { idleMinutes, memory } = await readSettings();
    return { idleMs: idleMinutes * 60_000, bytes: memory > 0 ? memory * 1e6 : memoryBudget() };
  },
  // When the document goes, the rest of its memory goes too.
  onempty: () => void askBackground({ type: "engine-idle" }).catch(() => {}),
});

/**
 * The names of the models for a pair: those that it names if they exist, or else those that serve it.
 * @param {import("./protocol.js").Pair} pair
 */
async function modelsFor({ source, target, models = [] }) {
  keep = await importedChecksums();
  const all = await allModels({ fresh: false });
  const named = models.flatMap((name) => all.find((model) => model.name === name) ?? []);
  const isWhole = named.length > 0 && named.length === models.length;
  const route = isWhole ? named : await bestRoute(source, target, all, { here: true });
  if (route.length === 0) throw new Problem("noModel", source, target);
  for (const model of route) entries.set(model.name, model);
  return route.map(({ name }) => name);
}

/** @param {any} port */
function serve(port) {
  /** @type {Map<number, BlockRequest>} */
  const requests = new Map();
  /** @type {Set<number>} */
  const wanted = new Set();
  /** @type {import("./protocol.js").Pair} */
  let pair = { source: "", target: "" };
  /** @type {Promise<string[]> | null} */
  let models = null;
  /** @param {FromEngine} message */
  const post = (message) => {
    try {
      port.postMessage(message);
    } catch {
      // The page has gone; its port will say so in a moment.
    }
  };
  const tell = (/** @type {number} */ loaded, /** @type {number} */ total) => post({ type: "loading", loaded, total });
  /** @param {Extract<ToEngine, {type: "block"}>} message */
  const translate = async ({ id, text, nodes, priority }) => {
    /** @type {import("./engines.js").Engine | null} */
    let engine = null;
    wanted.add(id);
    try {
      models ??= modelsFor(pair);
      engine = engines.use(await models);
      engine.listeners.add(tell);
      await engine.connection.loaded;
      if (!wanted.has(id)) return;
      const request = engine.connection.translateBlock(text, Uint32Array.from(nodes), priority);
      requests.set(id, request);
      const result = await request.result;
      post({ type: "translated", id, text: result.text, places: Array.from(result.places) });
    } catch (error) {
      // The next request may find other models.
      models = null;
      if (wanted.has(id)) post({ type: "refused", id, problem: problemOf(error) });
    } finally {
      wanted.delete(id);
      requests.delete(id);
      engine?.listeners.delete(tell);
      if (engine) engines.release(engine);
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
  });
}

/** A download for a tab. */
class Job {
  /** Who is told of it. @type {Set<(message: FromInstaller) => void>} */
  listeners = new Set();
  /** @type {FromInstaller} */
  last = { type: "progress", loaded: 0, total: 0 };
  /** @type {import("./engines.js").Engine | null} */
  #engine = null;
  #isCancelled = false;

  /** @param {Order} order */
  async run(order) {
    try {
      const engine = (this.#engine = engines.use(await modelsFor(order)));
      const tell = (/** @type {number} */ loaded, /** @type {number} */ total) =>
        this.#tell({ type: "progress", loaded, total });
      engine.listeners.add(tell);
      try {
        if (this.#isCancelled) this.cancel();
        await engine.connection.loaded;
      } finally {
        engine.listeners.delete(tell);
        engines.release(engine);
      }
      await (api.tabs ? translateTab(order) : askBackground({ type: "installed", order })).catch(() => {});
      this.#tell({ type: "installed" });
    } catch (error) {
      this.#tell(this.#isCancelled ? { type: "cancelled" } : { type: "failed", problem: problemOf(error) });
    }
  }

  /** What has arrived is kept. */
  cancel() {
    this.#isCancelled = true;
    this.#engine?.connection.close(new DOMException("The download was cancelled.", "AbortError"));
  }

  /** @param {FromInstaller} message */
  #tell(message) {
    this.last = message;
    for (const listener of this.listeners) listener(message);
  }
}

/** Downloads under way, by tab. @type {Map<number, Job>} */
const jobs = new Map();

/** @param {any} port of a window that asks for a download or wants to be told of one */
function serveInstaller(port) {
  /** @type {Job | undefined} */
  let job;
  const post = (/** @type {FromInstaller} */ message) => port.postMessage(message);
  port.onMessage.addListener(async (/** @type {ToInstaller} */ message) => {
    if (message.type === "cancel") return job?.cancel();
    const { tab } = message.type === "watch" ? message : message.order;
    job = jobs.get(tab);
    if (job) {
      job.listeners.add(post);
      return post(job.last);
    }
    if (message.type === "watch") return post({ type: "none" });
    job = new Job();
    job.listeners.add(post);
    jobs.set(tab, job);
    await job.run(message.order);
    jobs.delete(tab);
  });
  port.onDisconnect.addListener(() => job?.listeners.delete(post));
}

/** Answers pages and windows from now on. */
export function hostEngine() {
  api.runtime.onConnect.addListener((/** @type {any} */ port) => {
    if (port.name === ENGINE_PORT) serve(port);
    else if (port.name === INSTALL_PORT) serveInstaller(port);
  });
}
