/**
 * Runs engines: loads the models of each, and shares what they have in common. It runs in a worker
 * (`worker.js`), or in place where there are no workers (`www/library/service-worker.js`).
 *
 * `www/library/connection.js` is the other end; the messages are described there.
 */
import { modelSize } from "../library/catalogue.js";
import { storedBytes } from "../library/kept-models.js";
import { startEngine } from "./engine.js";
import { describe } from "./messages.js";
import { ModelDownload } from "./model-download.js";
import { ownFiles, ownProgress, readAll, readOwn, totalSize } from "./own-files.js";
import { threadAnswered, threadFailed } from "./threads.js";
import { Work } from "./work.js";

/** @typedef {import("../library/protocol.js").ToWorker} ToWorker */
/** @typedef {import("../library/catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./engine.js").StartedEngine} StartedEngine */
/** @typedef {import("./messages.js").Post} Post */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Model} Model */

/**
 * What engines run in.
 * @typedef {object} Place
 * @property {Post} post
 * @property {() => void} close after a failure: nothing more can be done
 * @property {(script: string) => Promise<any>} importModule
 * @property {number} [threads] at most this many, whatever is asked for
 * @property {boolean} [warmUp] false where others would wait while the engine warms up
 */

/** After this many rounds browsers have compiled well what a translation needs. */
const WARM_UP_ROUNDS = 16;

/**
 * A model in memory, and how many engines use it.
 * @typedef {object} Held
 * @property {string} identity
 * @property {Model} model
 * @property {number} users
 * @property {ModelFile[]} files
 * @property {boolean} stored
 * @property {string} [notStored]
 */

/** What the engines of one worker share: the module with its memory and threads, and models. */
class Shared {
  #place;
  /** @type {Promise<StartedEngine> | undefined} */
  #started;
  /** @type {Map<string, Held>} */
  #models = new Map();
  /** The last of the loads: they run one after the other, so that the second finds what the first has loaded. */
  #loading = Promise.resolve();
  #underWay = 0;
  #warmUpRounds = 0;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
  }

  /** @param {Parameters<typeof startEngine>} options the same for all engines */
  start(...options) {
    return (this.#started ??= startEngine(...options));
  }

  /**
   * Has the module translate with a stand-in, so that the browser compiles what the first translation needs.
   * @param {StartedEngine["module"]} module
   * @param {string} source
   * @param {string} target
   * @returns {boolean} whether it was worth it: an engine that is at work has run already
   */
  warmUp(module, source, target) {
    if (this.#place.warmUp === false || this.#models.size > 0 || this.#warmUpRounds === WARM_UP_ROUNDS) return false;
    this.#warmUpRounds++;
    module.warmUp(source, target);
    return true;
  }

  /**
   * Loads when nothing else is being loaded.
   * @param {() => Promise<void>} load does not fail
   * @param {() => void} waiting called if it has to wait
   */
  async inTurn(load, waiting) {
    if (this.#underWay++ > 0) waiting();
    const turn = this.#loading.then(load);
    this.#loading = turn;
    await turn;
    this.#underWay--;
  }

  /**
   * A model that is here, for one more engine. One that the browser no longer keeps is not taken: whoever loads it wants it kept.
   * @param {string} identity
   * @returns {Promise<Held | undefined>}
   */
  async find(identity) {
    const held = this.#models.get(identity);
    if (!held) return undefined;
    held.users++;
    if (!held.stored || (await storedBytes(held)) >= modelSize(held)) return held;
    this.release(held);
    return undefined;
  }

  /**
   * @param {Omit<Held, "users">} loaded
   * @returns {Held} for one engine
   */
  add(loaded) {
    const held = { ...loaded, users: 1 };
    // An earlier model under this identity is freed with its own engines.
    if (loaded.identity !== "") this.#models.set(loaded.identity, held);
    return held;
  }

  /** An engine ends. @param {Held} held */
  release(held) {
    if (--held.users > 0) return;
    if (this.#models.get(held.identity) === held) this.#models.delete(held.identity);
    held.model.free();
  }

  /** A trap leaves the module's memory in an unknown state; nothing of it may be used again. @param {unknown} error */
  fail(error) {
    this.#place.post({ type: "failed", error: describe(error) });
    this.#place.close();
  }
}

/** The engines in a worker, one for each client: translators that have a model in common hold it once. */
export class EngineHosts {
  #place;
  #shared;
  /** @type {Map<number | undefined, EngineHost>} */
  #hosts = new Map();

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
    this.#shared = new Shared(place);
  }

  /** @param {ToWorker} message */
  receive(message) {
    const { client } = message;
    switch (message.type) {
      case "thread":
        threadAnswered(message.thread, message.data);
        break;
      case "thread-failed":
        threadFailed(message.thread, message.reason);
        break;
      case "load":
      case "convert":
        this.#hosts.set(client, new EngineHost(this.#placeOf(client), this.#shared));
        this.#hosts.get(client)?.receive(message);
        break;
      case "end":
        this.#hosts.get(client)?.end();
        this.#hosts.delete(client);
        break;
      default:
        this.#hosts.get(client)?.receive(message);
    }
  }

  /** Ends them where they cannot be ended with their worker. */
  end() {
    for (const host of this.#hosts.values()) host.end();
    this.#hosts.clear();
  }

  /** @param {number | undefined} client @returns {Place} */
  #placeOf(client) {
    return { ...this.#place, post: (message, transfer) => this.#place.post({ ...message, client }, transfer) };
  }
}

/** Loads one model or two, or converts one. */
class EngineHost {
  #place;
  #shared;
  #ended = new AbortController();
  /** @type {Work | undefined} */
  #work;
  /** The models in use. @type {Held[]} */
  #models = [];

  /** @param {Place} place @param {Shared} shared */
  constructor(place, shared) {
    this.#place = place;
    this.#shared = shared;
  }

  /** @param {ToWorker} message */
  receive(message) {
    switch (message.type) {
      case "load":
        this.#shared.inTurn(
          () => this.#load(message),
          () => this.#place.post({ type: "waiting" }),
        );
        break;
      case "convert":
        this.#convert(message);
        break;
      case "translate":
        this.#work?.add(message);
        break;
      case "translate-block":
        this.#work?.addBlock(message);
        break;
      case "translate-document":
        this.#work?.addDocument(message);
        break;
      case "cancel":
        this.#work?.cancel(message.id);
        break;
      case "priority":
        this.#work?.setPriority(message.id, message.priority);
        break;
    }
  }

  /** Ends the engine, and releases its models. */
  end() {
    this.#ended.abort();
    this.#work?.end();
    this.#work = undefined;
    for (const held of this.#models.splice(0)) this.#shared.release(held);
  }

  /** @param {Extract<ToWorker, {type: "load"}>} message */
  async #load({ models: wanted, keep = [], modules, threads, variant, beam = 0, cache = 0, targetToken }) {
    const { signal } = this.#ended;
    if (signal.aborted) return;
    const { post, importModule } = this.#place;
    const shared = this.#shared;
    const starting = shared.start(modules, { threads: this.#place.threads ?? threads, variant, importModule });
    /** @type {(Promise<Loader> | undefined)[]} */
    let loading = [];
    try {
      /** @type {(Held | undefined)[]} */
      const held = [];
      for (const { identity = "" } of wanted) {
        const found = await shared.find(identity);
        held.push(found);
        if (found) this.#models.push(found);
      }
      // Of two models the second one knows the target language.
      const token = (/** @type {number} */ i) => (i === wanted.length - 1 ? targetToken : undefined);
      loading = wanted.map((_, i) =>
        held[i] ? undefined : starting.then(({ module }) => new module.Loader(token(i))),
      );
      const own = ownFiles(wanted);
      const { source: from = "" } = wanted[0] ?? {};
      const { target: to = "" } = wanted.at(-1) ?? {};
      const warmUp = async () => shared.warmUp((await starting).module, from, to);
      const download = new ModelDownload(wanted, keep, { post, ended: signal, warmUp });
      const arriving = own ? readAll(own, loading, post) : download.into(loading);
      const [started] = await Promise.all([starting, arriving, ...loading]);
      /** @type {Held[]} */
      const added = [];
      for (const [i, { identity = "", source, target, files }] of wanted.entries()) {
        const loader = await loading[i];
        if (!loader) continue;
        const model = loader.finish(source, target);
        const one = shared.add({ identity, model, files, stored: false });
        held[i] = one;
        added.push(one);
        this.#models.push(one);
      }
      const [model, second] = held.map((each) => each?.model.share());
      if (!model) throw new TypeError("expected a model to load");
      const engine = new started.module.Engine(model, second, beam, cache);
      if (own === undefined) {
        // Whoever has a translator can rely on what it says about being kept.
        const kept = await download.kept();
        for (const one of added) Object.assign(one, kept);
      }
      if (signal.aborted) {
        engine.free();
        return this.end();
      }
      this.#work = new Work(engine, this.#place, (error) => shared.fail(error));
      const { backend, precision, beam: width, weightBytes } = engine.info();
      const parts = this.#models;
      post({
        type: "loaded",
        info: {
          variant: started.variant,
          threads: started.threads,
          backend,
          precision,
          beam: width,
          weightBytes,
          memoryBytes: started.memory.buffer.byteLength,
          stored: parts.every(({ stored }) => stored),
          notStored: parts.find(({ notStored }) => notStored !== undefined)?.notStored,
        },
      });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) return shared.fail(error);
      for (const one of loading) one?.then((loader) => loader.free()).catch(() => {});
      this.end();
      post({ type: "failed", error: describe(error) });
    }
  }

  /** @param {Extract<ToWorker, {type: "convert"}>} message */
  async #convert({ own, modules, bits, name, source, target }) {
    const { post, close, importModule } = this.#place;
    try {
      const { module } = await startEngine(modules, { threads: 1, importModule });
      const loader = new module.Loader();
      await readOwn(own, loader, ownProgress(post, totalSize(own)), bits !== "int8");
      const bytes = loader.toPackage(
        bits,
        name,
        source,
        target,
        (/** @type {number} */ loaded, /** @type {number} */ total) =>
          post({ type: "progress", loaded, total, fromNetwork: 0 }),
      );
      post({ type: "converted", bytes: /** @type {Uint8Array<ArrayBuffer>} */ (bytes) }, [bytes.buffer]);
    } catch (error) {
      post({ type: "failed", error: describe(error) });
    }
    close();
  }
}
