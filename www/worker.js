/**
 * The engine's worker: loads a model, translates what it is sent, by priority, and stays responsive in between.
 *
 * `www/connection.js` is the other end; the messages are described there.
 */
import { ModelStore, lockName } from "./storage.js";
import { fileBytes } from "./worker/download.js";
import { startEngine } from "./worker/engine.js";
import { threadAnswered } from "./worker/threads.js";

/** @typedef {import("./connection.js").ToWorker} ToWorker */
/** @typedef {import("./connection.js").FromWorker} FromWorker */
/** @typedef {import("./catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./worker/engine.js").StartedEngine} StartedEngine */
/** @typedef {import("./pkg/relaxed-simd-threads/wanderwort.js").Engine} Engine */
/** @typedef {import("./pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */

/** Progress is told at most so often. */
const PROGRESS_INTERVAL_MS = 50;

/** @param {FromWorker} message @param {Transferable[]} [transfer] */
function post(message, transfer = []) {
  postMessage(message, { transfer });
}

/**
 * @param {unknown} error
 * @returns {{name: string, message: string}}
 */
function describe(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    return { name: "OperationError", message: `The translation engine stopped: ${error.message}` };
  }
  if (!(error instanceof Error)) return { name: "OperationError", message: String(error) };
  return { name: error instanceof DOMException ? error.name : "OperationError", message: error.message };
}

/**
 * Brings a model's files and gives them to the engine's loader.
 */
class ModelDownload {
  #files;
  #loaded = 0;
  #fromNetwork = 0;
  #lastTold = 0;
  /** @type {ModelStore | null} */
  #store = null;
  /** @type {string | undefined} */
  #notStored;

  /** @param {ModelFile[]} files */
  constructor(files) {
    this.#files = files;
  }

  get stored() {
    return this.#store !== null && this.#notStored === undefined;
  }

  get notStored() {
    return this.#notStored;
  }

  /**
   * @param {Promise<Loader>} loader awaited only when the first bytes are here, so that both come side by side
   */
  async into(loader) {
    this.#store = await ModelStore.open();
    for (const file of this.#files) await this.#locked(file, () => this.#bring(file, loader));
    this.#tell(true);
    // The old versions of what the site offers now.
    await this.#store?.pruneUnlisted().catch(() => {});
  }

  /**
   * Two tabs that need the same file at once download it once: the second waits, and then finds it stored.
   * @param {ModelFile} file
   * @param {() => Promise<void>} action
   */
  async #locked(file, action) {
    if (!this.#store || !navigator.locks) return action();
    const name = lockName(file.sha256);
    const done = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await action();
      return lock !== null;
    });
    if (done) return;
    post({ type: "waiting" });
    await navigator.locks.request(name, action);
  }

  /**
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   */
  async #bring(file, loader) {
    const before = this.#loaded;
    const sum = await this.#pass(file, loader, false);
    if (sum === file.sha256) return;
    // What was stored may have been damaged, or the file was replaced between two parts: once more, all from the server.
    this.#loaded = before;
    await this.#store?.remove(file.sha256);
    if ((await this.#pass(file, loader, true)) === file.sha256) return;
    await this.#store?.remove(file.sha256);
    throw new DOMException(
      `${file.url} is not the file that the list of models announces: its checksum differs. ` +
        "The site's models are being changed or are damaged: try again later, or tell the site's owner.",
      "NetworkError",
    );
  }

  /**
   * @param {ModelFile} file
   * @param {Promise<Loader>} ready
   * @param {boolean} ignoreStored
   * @returns {Promise<string>} the SHA-256 of what came
   */
  async #pass(file, ready, ignoreStored) {
    /** @type {Loader | undefined} */
    let loader;
    const chunks = fileBytes(file, {
      store: this.#store,
      ignoreStored,
      makeRoom: async () => (await this.#store?.prune(new Set(this.#files.map((f) => f.sha256)))) ?? false,
      notStored: (reason) => (this.#notStored = reason),
    });
    for await (const { bytes, from } of chunks) {
      if (!loader) {
        loader = await ready;
        loader.begin(file.role, file.url, file.size);
      }
      loader.push(bytes);
      this.#loaded += bytes.length;
      if (from === "network") this.#fromNetwork += bytes.length;
      this.#tell(false);
    }
    return loader?.end() ?? "";
  }

  /** @param {boolean} now */
  #tell(now) {
    const time = performance.now();
    if (!now && time - this.#lastTold < PROGRESS_INTERVAL_MS) return;
    this.#lastTold = time;
    const total = this.#files.reduce((sum, file) => sum + file.size, 0);
    post({ type: "progress", loaded: this.#loaded, total, fromNetwork: this.#fromNetwork });
  }
}

/** Requests by the engine's numbers and by the page's. */
class Requests {
  /** @type {Map<number, number>} */
  #byEngine = new Map();
  /** @type {Map<number, number>} */
  #byPage = new Map();

  /** @param {number} page @param {number} engine */
  add(page, engine) {
    this.#byEngine.set(engine, page);
    this.#byPage.set(page, engine);
  }

  /** @param {number} page */
  engineNumber(page) {
    return this.#byPage.get(page);
  }

  /** @param {number} engine @returns {number | undefined} the page's number */
  remove(engine) {
    const page = this.#byEngine.get(engine);
    this.#byEngine.delete(engine);
    if (page !== undefined) this.#byPage.delete(page);
    return page;
  }
}

/** Works on the engine's requests in slices, between which messages get through. */
class Work {
  #engine;
  #requests = new Requests();
  #running = false;
  #busy = 0;
  #turn = new MessageChannel();

  /** @param {Engine} engine */
  constructor(engine) {
    this.#engine = engine;
    this.#turn.port1.onmessage = () => this.#slice();
  }

  /** @param {Extract<ToWorker, {type: "translate"}>} message */
  add({ id, text, priority, details, scores }) {
    this.#requests.add(id, this.#engine.submit(text, priority, details, scores));
    this.#run();
  }

  /** @param {Extract<ToWorker, {type: "translate-block"}>} message */
  addBlock({ id, text, nodes, priority }) {
    try {
      this.#requests.add(id, this.#engine.submitBlock(text, nodes, priority));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return post({ type: "refused", id, error: describe(error) });
    }
    this.#run();
  }

  #run() {
    if (this.#running) return;
    this.#running = true;
    this.#turn.port2.postMessage(null);
  }

  /** @param {number} id */
  cancel(id) {
    const number = this.#requests.engineNumber(id);
    if (number === undefined) return;
    this.#engine.cancel(number);
    this.#requests.remove(number);
  }

  /** @param {number} id @param {number} priority */
  setPriority(id, priority) {
    const number = this.#requests.engineNumber(id);
    if (number !== undefined) this.#engine.setPriority(number, priority);
  }

  #slice() {
    try {
      const start = performance.now();
      const finished = this.#engine.step();
      this.#busy += performance.now() - start;
      for (const result of finished) {
        const id = this.#requests.remove(result.request);
        const { text, sentences, tokens, scores, places, error } = result;
        result.free();
        if (id === undefined) continue;
        if (error !== undefined) {
          post({ type: "refused", id, error: { name: "OperationError", message: error } });
          continue;
        }
        const transfer = [sentences.buffer, tokens.buffer, scores.buffer, places.buffer];
        post({ type: "translated", id, text, sentences, tokens, scores, places, busy: this.#busy }, transfer);
      }
      this.#running = !this.#engine.isIdle();
      if (this.#running) this.#turn.port2.postMessage(null);
    } catch (error) {
      // A trap leaves the module's memory in an unknown state; nothing of it may be used again.
      post({ type: "failed", error: describe(error) });
      close();
    }
  }
}

/** @type {Work | undefined} */
let work;

/** @param {Extract<ToWorker, {type: "load"}>} message */
async function load({ files, modules, threads, variant }) {
  try {
    const starting = startEngine(modules, { threads, variant });
    const loading = starting.then(({ module }) => new module.Loader());
    const download = new ModelDownload(files);
    const [started, loader] = await Promise.all([starting, loading, download.into(loading)]);
    const engine = loader.finish();
    work = new Work(engine);
    const { backend, precision, weightBytes } = engine.info();
    post({
      type: "loaded",
      info: {
        variant: started.variant,
        threads: started.threads,
        backend,
        precision,
        weightBytes,
        memoryBytes: started.memory.buffer.byteLength,
        stored: download.stored,
        notStored: download.notStored,
        resources: performance.getEntriesByType("resource").map((entry) => entry.name),
      },
    });
  } catch (error) {
    post({ type: "failed", error: describe(error) });
    close();
  }
}

onmessage = ({ data }) => {
  const message = /** @type {ToWorker} */ (data);
  switch (message.type) {
    case "load":
      load(message);
      break;
    case "translate":
      work?.add(message);
      break;
    case "translate-block":
      work?.addBlock(message);
      break;
    case "cancel":
      work?.cancel(message.id);
      break;
    case "thread":
      threadAnswered(message.thread, message.data);
      break;
    case "priority":
      work?.setPriority(message.id, message.priority);
      break;
  }
};
