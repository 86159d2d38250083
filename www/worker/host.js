/**
 * The engine at work: loads a model, translates what it is sent, by priority, and stays responsive in between. It runs in a worker
 * (`worker.js`), or in place where there are none (`www/library/service-worker.js`).
 *
 * `www/library/connection.js` is the other end; the messages are described there.
 */
import { downloadSize, modelSize, storedForm, storedForms } from "../library/catalogue.js";
import { storedBytes } from "../library/kept-models.js";
import { ModelStore, lockName } from "../library/storage.js";
import { fileBytes } from "./download.js";
import { translateFile } from "./documents.js";
import { startEngine } from "./engine.js";
import { threadAnswered } from "./threads.js";

/** @typedef {import("../library/protocol.js").ToWorker} ToWorker */
/** @typedef {import("../library/protocol.js").FromWorker} FromWorker */
/** @typedef {import("../library/catalogue.js").ModelFile} ModelFile */
/** @typedef {import("../library/catalogue.js").Source} Source */
/** @typedef {import("./documents.js").TranslatedText} TranslatedText */
/** @typedef {import("./engine.js").StartedEngine} StartedEngine */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Engine} Engine */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Model} Model */

/** Tells the other end. @typedef {(message: FromWorker, transfer?: Transferable[]) => void} Post */

/**
 * What engines run in.
 * @typedef {object} Place
 * @property {Post} post
 * @property {() => void} close after a failure: nothing more can be done
 * @property {(script: string) => Promise<any>} importModule
 * @property {number} [threads] at most so many, whatever is asked for
 */

/** Progress is told at most so often. */
const PROGRESS_INTERVAL_MS = 50;

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
 * Brings the files of models and gives them to their loaders.
 */
class ModelDownload {
  #models;
  #loaded = 0;
  #total = 0;
  #fromNetwork = 0;
  #lastTold = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;
  /** @type {ModelStore | null} */
  #store = null;
  /** @type {string | undefined} */
  #notStored;

  /** SHA-256 of what stays however short the room. @type {ReadonlySet<string>} */
  #keep;

  #post;
  #ended;

  /** @param {{files: ModelFile[]}[]} models @param {string[]} keep @param {{post: Post, ended: AbortSignal}} means */
  constructor(models, keep, { post, ended }) {
    this.#models = models;
    for (const model of models) this.#total += modelSize(model);
    this.#post = post;
    this.#ended = ended;
    const needed = models.flatMap(({ files }) => files.flatMap(storedForms)).map(({ sha256 }) => sha256);
    this.#keep = new Set([...keep, ...needed]);
  }

  get stored() {
    return this.#store !== null && this.#notStored === undefined;
  }

  get notStored() {
    return this.#notStored;
  }

  /**
   * @param {(Promise<Loader> | undefined)[]} loaders one for each model, none for those that are in memory; awaited only when the first bytes are here,
   *   so that both come side by side
   */
  async into(loaders) {
    this.#store = await ModelStore.open();
    for (const [i, model] of this.#models.entries()) {
      const loader = loaders[i];
      if (!loader) this.#loaded += modelSize(model);
      for (const file of model.files) if (loader) await this.#locked(file, () => this.#bring(file, loader));
    }
    this.#tell(true);
  }

  /**
   * Two tabs that need the same file at once download it once: the second waits, and then finds it stored.
   * @param {ModelFile} file
   * @param {() => Promise<void>} action
   */
  async #locked(file, action) {
    if (!this.#store || !globalThis.navigator?.locks) return action();
    const name = lockName(file.sha256);
    const done = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await action();
      return lock !== null;
    });
    if (done) return;
    this.#post({ type: "waiting" });
    await navigator.locks.request(name, { signal: this.#ended }, action);
  }

  /**
   * Brings a file from one of its sources: what is kept of one goes first, then they are tried in turn.
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   */
  async #bring(file, loader) {
    const before = this.#loaded;
    /** @type {{error: unknown, url: string}[]} */
    const failures = [];
    for (const source of await this.#inOrder(file)) {
      try {
        await this.#bringFrom(source, file, loader);
        this.#loaded = before + downloadSize(file);
        return;
      } catch (error) {
        if (this.#ended.aborted || !isOfSource(error)) throw error;
        failures.push({ error, url: source.url });
        this.#loaded = before;
      }
    }
    const [first, second] = failures;
    if (!second) throw first?.error;
    const reasons = failures.map(({ error }) => (error instanceof Error ? error.message : String(error)));
    throw new DOMException(`No source of ${file.name} could be used. ${reasons.join(" ")}`, "NetworkError");
  }

  /**
   * A file's sources, those first of which most is kept.
   * @param {ModelFile} file
   * @returns {Promise<Source[]>}
   */
  async #inOrder(file) {
    const sources = [];
    for (const source of file.sources) {
      const form = storedForm(file, source);
      const kept = form ? ((await this.#store?.storedBytes(form.sha256, form.size)) ?? 0) / form.size : 0;
      sources.push({ source, kept });
    }
    return sources.sort((a, b) => b.kept - a.kept).map(({ source }) => source);
  }

  /**
   * Brings a file until it is what the list announces. A package's damaged section is fetched anew from its first byte, once;
   * if that does not help, or the checksum of the whole is wrong, all comes anew from the server, once.
   * @param {Source} source
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   */
  async #bringFrom(source, file, loader) {
    const before = this.#loaded;
    const form = storedForm(file, source);
    const once = new Set();
    /** @type {number | undefined} */
    let fetchFrom;
    for (;;) {
      const { sha256, error, rewound } = await this.#pass({ url: source.url, ...form }, file, loader, fetchFrom);
      if (sha256 === file.sha256) {
        if (!form) this.#notStored ??= `the list does not say what ${source.url} is, so it cannot be kept`;
        return;
      }
      if (error !== undefined && rewound > 0 && !once.has(rewound)) {
        once.add(rewound);
        fetchFrom = rewound;
      } else if (!once.has(0)) {
        // What was stored may be damaged, or the server's file was replaced between two requests.
        once.add(0);
        fetchFrom = 0;
        if (form) await this.#store?.remove(form.sha256);
      } else {
        if (form) await this.#store?.remove(form.sha256);
        throw wrongFile(source.url, error);
      }
      this.#loaded = before + fetchFrom;
    }
  }

  /**
   * Gives the loader a file's bytes, those from `fetchFrom` on anew from the network, until they end or the loader refuses them.
   * @param {import("./download.js").Fetched} fetched
   * @param {ModelFile} file
   * @param {Promise<Loader>} ready
   * @param {number | undefined} fetchFrom
   * @returns {Promise<{sha256?: string, error?: unknown, rewound: number}>} the checksum of the content, or why the loader refused
   *   it and where a package may go on
   */
  async #pass(fetched, file, ready, fetchFrom) {
    const chunks = fileBytes(fetched, {
      store: this.#store,
      signal: this.#ended,
      fetchFrom,
      makeRoom: async () => (await this.#store?.prune(this.#keep)) ?? false,
      notStored: (reason) => (this.#notStored = reason),
    });
    const start = fetchFrom ?? 0;
    let begun = start > 0;
    for await (const { bytes, offset, from } of chunks) {
      const loader = await ready;
      if (!begun) begin(loader, file);
      begun = true;
      // A part may begin before the place to go on from.
      const useful = bytes.subarray(Math.min(bytes.length, Math.max(0, start - offset)));
      try {
        loader.push(useful);
      } catch (error) {
        return { error, rewound: loader.rewind() };
      }
      this.#loaded += useful.length;
      if (from === "network") this.#fromNetwork += bytes.length;
      this.#tell(false);
    }
    const loader = await ready;
    try {
      return { sha256: loader.end(), rewound: 0 };
    } catch (error) {
      return { error, rewound: 0 };
    }
  }

  /** @param {boolean} now */
  #tell(now) {
    const wait = this.#lastTold + PROGRESS_INTERVAL_MS - performance.now();
    if (!now && wait > 0) {
      // What has come is told even if nothing follows for long.
      this.#telling ??= setTimeout(() => this.#tell(true), wait);
      return;
    }
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#lastTold = performance.now();
    // A source whose size nobody told may have more.
    const loaded = Math.min(this.#loaded, this.#total);
    this.#post({ type: "progress", loaded, total: this.#total, fromNetwork: this.#fromNetwork });
  }
}

/** Whether another source may do better. @param {unknown} error */
function isOfSource(error) {
  return error instanceof DOMException && error.name === "NetworkError";
}

/**
 * @param {Loader} loader
 * @param {ModelFile} file
 */
function begin(loader, file) {
  if (file.role === "package") loader.beginPackage(file.name);
  else loader.beginFile(file.name, file.size);
}

/**
 * @param {string} url
 * @param {unknown} error what the loader says, if it came to that
 */
function wrongFile(url, error) {
  const reason = error instanceof Error ? error.message : "its checksum differs";
  return new DOMException(
    `${url} is not the file that the list of models announces: ${reason}. ` +
      "The site's models are being changed or are damaged: try again later, or tell the site's owner.",
    "NetworkError",
  );
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
  /** Texts of documents by the engine's numbers. @type {Map<number, (translated: TranslatedText) => void>} */
  #passages = new Map();
  /** Documents under way by the page's numbers. @type {Map<number, AbortController>} */
  #documents = new Map();

  #place;
  #shared;
  #ended = false;

  /** @param {Engine} engine @param {Place} place @param {Shared} shared */
  constructor(engine, place, shared) {
    this.#engine = engine;
    this.#place = place;
    this.#shared = shared;
    this.#turn.port1.onmessage = () => this.#slice();
  }

  /** @param {Extract<ToWorker, {type: "translate"}>} message */
  add({ id, text, priority, details, scores, from }) {
    const request = from
      ? this.#engine.submitFrom(text, from.prefix, from.alternatives, priority)
      : this.#engine.submit(text, priority, details, scores);
    this.#requests.add(id, request);
    this.#run();
  }

  /** @param {Extract<ToWorker, {type: "translate-block"}>} message */
  addBlock({ id, text, nodes, priority }) {
    try {
      this.#requests.add(id, this.#engine.submitBlock(text, nodes, priority));
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      return this.#place.post({ type: "refused", id, error: describe(error) });
    }
    this.#run();
  }

  /** @param {Extract<ToWorker, {type: "translate-document"}>} message */
  async addDocument({ id, module, ...job }) {
    const controller = new AbortController();
    this.#documents.set(id, controller);
    let lastTold = 0;
    const progress = (/** @type {number} */ done, /** @type {number} */ total) => {
      const now = performance.now();
      if (done < total && now - lastTold < PROGRESS_INTERVAL_MS) return;
      lastTold = now;
      this.#place.post({ type: "document-progress", id, done, total });
    };
    try {
      const { importModule } = this.#place;
      const means = { addresses: module, importModule, translator: this, signal: controller.signal, progress };
      const document = await translateFile(job, means);
      this.#place.post({ type: "document", id, ...document }, [document.bytes.buffer]);
    } catch (error) {
      if (!controller.signal.aborted) this.#place.post({ type: "refused", id, error: describe(error) });
    } finally {
      this.#documents.delete(id);
    }
  }

  /** @param {string} text @param {number} priority @param {(translated: TranslatedText) => void} done */
  addPassage(text, priority, done) {
    const number = this.#engine.submitPassage(text, priority);
    this.#passages.set(number, done);
    this.#run();
    return number;
  }

  /** @param {number} number */
  cancelPassage(number) {
    this.#engine.cancel(number);
    this.#passages.delete(number);
  }

  #run() {
    if (this.#running) return;
    this.#running = true;
    this.#turn.port2.postMessage(null);
  }

  /** @param {number} id */
  cancel(id) {
    this.#documents.get(id)?.abort(new DOMException("The request was cancelled.", "AbortError"));
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

  /** Frees the engine. */
  end() {
    this.#ended = true;
    for (const controller of this.#documents.values()) controller.abort();
    this.#turn.port1.close();
    this.#engine.free();
  }

  #slice() {
    if (this.#ended) return;
    try {
      const start = performance.now();
      const finished = this.#engine.step();
      this.#busy += performance.now() - start;
      for (const result of finished) {
        const id = this.#requests.remove(result.request);
        const { text, sentences, tokens, scores, places, candidates, error } = result;
        const passage = this.#passages.get(result.request);
        this.#passages.delete(result.request);
        result.free();
        passage?.({ text, sentences, tokens });
        if (id === undefined) continue;
        if (error !== undefined) {
          this.#place.post({ type: "refused", id, error: { name: "UnknownError", message: error } });
          continue;
        }
        const transfer = [sentences.buffer, tokens.buffer, scores.buffer, places.buffer];
        const found = { text, sentences, tokens, scores, places, candidates, busy: this.#busy };
        this.#place.post({ type: "translated", id, ...found }, transfer);
      }
      this.#running = !this.#engine.isIdle();
      if (this.#running) this.#turn.port2.postMessage(null);
    } catch (error) {
      this.#shared.fail(error);
    }
  }
}

/** A package's first bytes. */
const MAGIC = "WANDERW\n";

/**
 * Gives the loader files of the reader's own: one package, or Marian's files.
 * @param {File[]} files
 * @param {Loader} loader
 * @param {(loaded: number) => void} progress is told bytes of these files
 * @param {boolean} [float] prefer float weights where there are both: quantizing twice loses more
 */
async function readOwn(files, loader, progress, float = false) {
  for (const file of files) {
    if ((await file.slice(0, MAGIC.length).text()) !== MAGIC) continue;
    if (files.length > 1) {
      throw new DOMException(`${file.name} is a whole model; choose it without other files.`, "DataError");
    }
    return readPackage(file, loader, progress);
  }
  const names = files.map((file) => file.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new DOMException(`Two of the files are called ${twice}; choose the files of one model.`, "DataError");
  }
  const read = await synchronousReader(files);
  let loaded = 0;
  loader.choose(names, float, (/** @type {string} */ name) => {
    const file = files[names.indexOf(name)];
    const bytes = file ? read(file) : new Uint8Array();
    loaded += bytes.length;
    progress(loaded);
    return bytes;
  });
  // Files that are no part of the model stay unread.
  progress(totalSize(files));
}

/** @param {File[]} files */
function totalSize(files) {
  let sum = 0;
  for (const { size } of files) sum += size;
  return sum;
}

/**
 * Tells how much is read of files of the reader's own, which start after `before` bytes of all.
 * @param {Post} post
 * @param {number} total
 * @param {number} [before]
 */
function ownProgress(post, total, before = 0) {
  return (/** @type {number} */ loaded) => post({ type: "progress", loaded: before + loaded, total, fromNetwork: 0 });
}

/**
 * Reads files at once, as the loader asks for them; service workers can only have read them all before.
 * @param {File[]} files
 * @returns {Promise<(file: File) => Uint8Array>}
 */
async function synchronousReader(files) {
  const { FileReaderSync } = /** @type {any} */ (globalThis);
  if (typeof FileReaderSync === "function") {
    const reader = new FileReaderSync();
    return (file) => new Uint8Array(reader.readAsArrayBuffer(file));
  }
  const read = new Map();
  for (const file of files) read.set(file, new Uint8Array(await file.arrayBuffer()));
  return (file) => read.get(file);
}

/**
 * @param {File} file
 * @param {Loader} loader
 * @param {(loaded: number) => void} progress
 */
async function readPackage(file, loader, progress) {
  loader.beginPackage(file.name);
  const reader = file.stream().getReader();
  for (let loaded = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    loader.push(value);
    loaded += value.length;
    progress(loaded);
  }
}

/**
 * The reader's own files of each model, if that is where models come from.
 * @param {{own?: File[]}[]} models
 * @returns {File[][] | undefined}
 */
function ownFiles(models) {
  const own = models.flatMap(({ own }) => (own ? [own] : []));
  if (own.length === 0) return undefined;
  if (own.length < models.length) throw new TypeError("expected files of the reader's own for each model, or for none");
  return own;
}

/**
 * Gives each model's loader the reader's own files for it.
 * @param {File[][]} own
 * @param {(Promise<Loader> | undefined)[]} loading none for models that are in memory
 * @param {Post} post
 */
async function readAll(own, loading, post) {
  const total = totalSize(own.flat());
  let before = 0;
  for (const [i, files] of own.entries()) {
    const loader = await loading[i];
    if (loader) await readOwn(files, loader, ownProgress(post, total, before));
    before += totalSize(files);
  }
}

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
  /** The loading that came last: they go one after the other, so that the second one finds what the first one has loaded. */
  #loading = Promise.resolve();
  #underWay = 0;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
  }

  /** @param {Parameters<typeof startEngine>} options of all engines the same */
  start(...options) {
    return (this.#started ??= startEngine(...options));
  }

  /**
   * Loads when nothing else is being loaded.
   * @param {() => Promise<void>} load does not fail
   * @param {() => void} waiting is told if it has to wait
   */
  async inTurn(load, waiting) {
    if (this.#underWay++ > 0) waiting();
    const turn = this.#loading.then(load);
    this.#loading = turn;
    await turn;
    this.#underWay--;
  }

  /**
   * A model that is here, for one more engine. One that the browser keeps no longer is not taken: whoever loads it wants to have it kept.
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
    // What was here under its name goes with its own engines.
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

/** The engines in a worker, one for each client: translators that have a model in common have it once. */
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

  /** Ends the engine, and lets go of its models. */
  end() {
    this.#ended.abort();
    this.#work?.end();
    this.#work = undefined;
    for (const held of this.#models.splice(0)) this.#shared.release(held);
  }

  /** @param {Extract<ToWorker, {type: "load"}>} message */
  async #load({ models: wanted, keep = [], modules, threads, variant, beam = 0, targetToken }) {
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
      const download = new ModelDownload(wanted, keep, { post, ended: signal });
      const arriving = own ? readAll(own, loading, post) : download.into(loading);
      const [started] = await Promise.all([starting, arriving, ...loading]);
      for (const [i, { identity = "", source, target, files }] of wanted.entries()) {
        const loader = await loading[i];
        if (!loader) continue;
        const model = loader.finish(source, target);
        const stored = own === undefined && download.stored;
        const added = shared.add({ identity, model, files, stored, notStored: download.notStored });
        held[i] = added;
        this.#models.push(added);
      }
      const [model, second] = held.map((each) => each?.model.share());
      if (!model) throw new TypeError("expected a model to load");
      const engine = new started.module.Engine(model, second, beam);
      if (signal.aborted) {
        engine.free();
        return this.end();
      }
      this.#work = new Work(engine, this.#place, shared);
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
