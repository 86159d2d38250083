/**
 * The engine at work: loads a model, translates what it is sent, by priority, and stays responsive in between. It runs in a worker
 * (`worker.js`), or in place where there are none (`www/library/service-worker.js`).
 *
 * `www/library/connection.js` is the other end; the messages are described there.
 */
import { ModelStore, lockName } from "../library/storage.js";
import { fileBytes } from "./download.js";
import { translateFile } from "./documents.js";
import { startEngine } from "./engine.js";
import { threadAnswered } from "./threads.js";

/** @typedef {import("../library/protocol.js").ToWorker} ToWorker */
/** @typedef {import("../library/protocol.js").FromWorker} FromWorker */
/** @typedef {import("../library/catalogue.js").ModelFile} ModelFile */
/** @typedef {import("./documents.js").TranslatedText} TranslatedText */
/** @typedef {import("./engine.js").StartedEngine} StartedEngine */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Engine} Engine */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */

/** Tells the other end. @typedef {(message: FromWorker, transfer?: Transferable[]) => void} Post */

/**
 * What the engine runs in.
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
 * Brings a model's files and gives them to the engine's loader.
 */
class ModelDownload {
  #files;
  #loaded = 0;
  #fromNetwork = 0;
  #lastTold = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;
  /** @type {ModelStore | null} */
  #store = null;
  /** @type {string | undefined} */
  #notStored;

  /** SHA-256 of files that stay however short the room. @type {ReadonlySet<string>} */
  #keep;

  #post;
  #ended;

  /** @param {ModelFile[]} files @param {string[]} keep @param {{post: Post, ended: AbortSignal}} means */
  constructor(files, keep, { post, ended }) {
    this.#files = files;
    this.#post = post;
    this.#ended = ended;
    this.#keep = new Set([...keep, ...files.map((file) => file.sha256)]);
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
    await navigator.locks.request(name, action);
  }

  /**
   * Brings a file until it is what the list announces. A package's damaged section is fetched anew from its first byte, once;
   * if that does not help, or the checksum of the whole is wrong, all comes anew from the server, once.
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   */
  async #bring(file, loader) {
    const before = this.#loaded;
    const once = new Set();
    /** @type {number | undefined} */
    let fetchFrom;
    for (;;) {
      const { sha256, error, rewound } = await this.#pass(file, loader, fetchFrom);
      if (sha256 === file.sha256) return;
      if (error !== undefined && rewound > 0 && !once.has(rewound)) {
        once.add(rewound);
        fetchFrom = rewound;
      } else if (!once.has(0)) {
        // What was stored may be damaged, or the server's file was replaced between two requests.
        once.add(0);
        fetchFrom = 0;
        await this.#store?.remove(file.sha256);
      } else {
        await this.#store?.remove(file.sha256);
        throw wrongFile(file, error);
      }
      this.#loaded = before + fetchFrom;
    }
  }

  /**
   * Gives the loader a file's bytes, those from `fetchFrom` on anew from the network, until they end or the loader refuses them.
   * @param {ModelFile} file
   * @param {Promise<Loader>} ready
   * @param {number | undefined} fetchFrom
   * @returns {Promise<{sha256?: string, error?: unknown, rewound: number}>} the checksum of what came, or why the loader refused
   *   it and where a package may go on
   */
  async #pass(file, ready, fetchFrom) {
    const chunks = fileBytes(file, {
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
    return { sha256: (await ready).end(), rewound: 0 };
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
    const total = this.#files.reduce((sum, file) => sum + file.size, 0);
    this.#post({ type: "progress", loaded: this.#loaded, total, fromNetwork: this.#fromNetwork });
  }
}

/** @param {ModelFile} file */
const fileName = (file) => decodeURIComponent(new URL(file.url).pathname.split("/").at(-1) ?? file.url);

/**
 * @param {Loader} loader
 * @param {ModelFile} file
 */
function begin(loader, file) {
  if (file.role === "package") loader.beginPackage(fileName(file));
  else loader.beginFile(fileName(file), file.size);
}

/**
 * @param {ModelFile} file
 * @param {unknown} error what the loader says, if it came to that
 */
function wrongFile(file, error) {
  const reason = error instanceof Error ? error.message : "its checksum differs";
  return new DOMException(
    `${file.url} is not the file that the list of models announces: ${reason}. ` +
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
  #ended = false;

  /** @param {Engine} engine @param {Place} place */
  constructor(engine, place) {
    this.#engine = engine;
    this.#place = place;
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
      // A trap leaves the module's memory in an unknown state; nothing of it may be used again.
      this.#place.post({ type: "failed", error: describe(error) });
      this.#place.close();
    }
  }
}

/** A package's first bytes. */
const MAGIC = "WANDERW\n";

/**
 * Gives the loader files of the reader's own: one package, or Marian's files.
 * @param {File[]} files
 * @param {Loader} loader
 * @param {Post} post
 * @param {boolean} [float] prefer float weights where there are both: quantizing twice loses more
 */
async function readOwn(files, loader, post, float = false) {
  for (const file of files) {
    if ((await file.slice(0, MAGIC.length).text()) !== MAGIC) continue;
    if (files.length > 1) {
      throw new DOMException(`${file.name} is a whole model; choose it without other files.`, "DataError");
    }
    return readPackage(file, loader, post);
  }
  const names = files.map((file) => file.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw new DOMException(`Two of the files are called ${twice}; choose the files of one model.`, "DataError");
  }
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const read = await synchronousReader(files);
  let loaded = 0;
  loader.choose(names, float, (/** @type {string} */ name) => {
    const file = files[names.indexOf(name)];
    const bytes = file ? read(file) : new Uint8Array();
    loaded += bytes.length;
    post({ type: "progress", loaded, total, fromNetwork: 0 });
    return bytes;
  });
  // Files that are no part of the model stay unread.
  post({ type: "progress", loaded: total, total, fromNetwork: 0 });
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
 * @param {Post} post
 */
async function readPackage(file, loader, post) {
  loader.beginPackage(file.name);
  const reader = file.stream().getReader();
  for (let loaded = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    loader.push(value);
    loaded += value.length;
    post({ type: "progress", loaded, total: file.size, fromNetwork: 0 });
  }
}

/** Loads one model, or converts one. */
export class EngineHost {
  #place;
  #ended = new AbortController();
  /** @type {Work | undefined} */
  #work;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
  }

  /** @param {ToWorker} message */
  receive(message) {
    switch (message.type) {
      case "load":
        this.#load(message);
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
      case "thread":
        threadAnswered(message.thread, message.data);
        break;
      case "priority":
        this.#work?.setPriority(message.id, message.priority);
        break;
    }
  }

  /** Ends it where it cannot be ended with its worker. */
  end() {
    this.#ended.abort();
    this.#work?.end();
    this.#work = undefined;
  }

  /** @param {Extract<ToWorker, {type: "load"}>} message */
  async #load({ files, own, source, target, keep = [], modules, threads, variant, beam = 0 }) {
    const { post, close, importModule } = this.#place;
    const starting = startEngine(modules, { threads: this.#place.threads ?? threads, variant, importModule });
    const loading = starting.then(({ module }) => new module.Loader());
    try {
      const download = new ModelDownload(files, keep, { post, ended: this.#ended.signal });
      const arriving = own ? loading.then((loader) => readOwn(own, loader, post)) : download.into(loading);
      const [started, loader] = await Promise.all([starting, loading, arriving]);
      const engine = loader.finish(source, target, beam);
      if (this.#ended.signal.aborted) return engine.free();
      this.#work = new Work(engine, this.#place);
      const { backend, precision, beam: width, weightBytes } = engine.info();
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
          stored: own === undefined && download.stored,
          notStored: download.notStored,
        },
      });
    } catch (error) {
      if (this.#ended.signal.aborted) loading.then((loader) => loader.free()).catch(() => {});
      post({ type: "failed", error: describe(error) });
      close();
    }
  }

  /** @param {Extract<ToWorker, {type: "convert"}>} message */
  async #convert({ own, modules, bits, name, source, target }) {
    const { post, close, importModule } = this.#place;
    try {
      const { module } = await startEngine(modules, { threads: 1, importModule });
      const loader = new module.Loader();
      await readOwn(own, loader, post, bits !== "int8");
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
