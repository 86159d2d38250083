/**
 * Engines in memory, one for each model or for two that translate together: each is loaded once, whoever wants it, and a model that two share is
 * in memory once (`www/library/engine-worker.js`). An engine that has had no work for some minutes ends, and the least recently used end first
 * where all together take more memory than they may.
 */

import { usedMemory } from "../library/budget.js";

/** @typedef {import("../library/connection.js").EngineConnection} EngineConnection */

/**
 * What engines are made of and how long they stay.
 * @typedef {object} Keeping
 * @property {(models: string[], progress: (loaded: number, total: number) => void) => Connection} start loads models, by their names
 * @property {() => Promise<{idleMs: number, bytes: number}>} limits
 * @property {() => void} onempty the last engine has ended for want of work
 */

/** @typedef {Pick<EngineConnection, "loaded" | "closed" | "close" | "translateBlock">} Connection */

export class Engine {
  /** Who is told of the download. @type {Set<(loaded: number, total: number) => void>} */
  listeners = new Set();
  connection;
  /** What it runs on, once it is known. @type {import("../library/protocol.js").EngineInfo | undefined} */
  info;
  pending = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /** @param {string[]} models @param {Keeping["start"]} start */
  constructor(models, start) {
    this.connection = start(models, (loaded, total) => {
      for (const listener of this.listeners) listener(loaded, total);
    });
  }
}

export class Engines {
  #keeping;
  /** The most recently used comes last. @type {Map<string, Engine>} */
  #engines = new Map();

  /** @param {Keeping} keeping */
  constructor(keeping) {
    this.#keeping = keeping;
  }

  /** The engines that are in memory or on their way there. */
  get size() {
    return this.#engines.size;
  }

  /**
   * The engine for models, which stays until `release`.
   * @param {string[]} models by name, one or two
   * @returns {Engine}
   */
  use(models) {
    const key = models.join(" ");
    let engine = this.#engines.get(key);
    if (engine?.connection.closed) engine = undefined;
    this.#engines.delete(key);
    engine ??= this.#start(models);
    this.#engines.set(key, engine);
    clearTimeout(engine.timer);
    engine.pending++;
    return engine;
  }

  /** @param {string[]} models */
  #start(models) {
    const engine = new Engine(models, this.#keeping.start);
    engine.connection.loaded.then(
      (info) => {
        engine.info = info;
        return this.#makeRoom();
      },
      () => this.#forget(engine),
    );
    return engine;
  }

  /** Says that what `use` gave is no longer needed. @param {Engine} engine */
  async release(engine) {
    if (--engine.pending > 0) return;
    await this.#makeRoom();
    const { idleMs } = await this.#keeping.limits();
    clearTimeout(engine.timer);
    if (engine.pending === 0) engine.timer = setTimeout(() => this.#end(engine), idleMs);
  }

  /** Ends engines without work, the least recently used first, until there is room for the rest. */
  async #makeRoom() {
    const { bytes } = await this.#keeping.limits();
    for (const engine of [...this.#engines.values()]) {
      const used = usedMemory([...this.#engines.values()].flatMap(({ info }) => info ?? []));
      if (used <= bytes || this.#engines.size === 1) return;
      if (engine.pending > 0 || !engine.info) continue;
      this.#end(engine);
    }
  }

  /** @param {Engine} engine */
  #end(engine) {
    clearTimeout(engine.timer);
    engine.connection.close(new DOMException("The model was not needed for some time.", "AbortError"));
    this.#forget(engine);
    if (this.#engines.size === 0) this.#keeping.onempty();
  }

  /** @param {Engine} engine */
  #forget(engine) {
    for (const [key, known] of this.#engines) if (known === engine) this.#engines.delete(key);
  }
}
