/**
 * The workers that engines run in. WebAssembly memory belongs to one worker, so translators with a model in common share a worker, and with it the
 * model's weights: a model that is one pair's own and half of another pair's is held once. All others have workers of their own, which work side by side.
 */
import { worker } from "../assets.js";
import { environment } from "./environment.js";

/** @typedef {import("./environment.js").EngineWorker} Worker */
/** @typedef {import("../worker/threads.js").StartThread} StartThread */
/** @typedef {import("./protocol.js").ModelSource} ModelSource */
/** @typedef {import("./protocol.js").ToWorker} ToWorker */
/** @typedef {import("./protocol.js").FromWorker} FromWorker */

/**
 * Who has an engine in a worker.
 * @typedef {object} Client
 * @property {(message: FromWorker) => void} receive
 * @property {(reason: string) => void} workerFailed
 */

/** Numbers of the reader's own files: two files with the same name are still two files. @type {WeakMap<File, number>} */
const ownNumbers = new WeakMap();
let ownFiles = 0;

/** @param {File} file */
function ownNumber(file) {
  const number = ownNumbers.get(file) ?? ++ownFiles;
  ownNumbers.set(file, number);
  return number;
}

/**
 * What makes a loaded model the same as another one.
 * @param {ModelSource["models"][number]} model
 * @param {string | undefined} targetToken
 */
function identityOf({ files, own = [], source, target }, targetToken) {
  const checksums = files.map(({ sha256 }) => sha256);
  // Some pages have no JSON.
  return [checksums.join(), own.map(ownNumber).join(), source, target, targetToken].join(" ");
}

/**
 * The identities of the models that are to be loaded.
 * @param {ModelSource} wanted
 * @returns {string[]}
 */
export function identities({ models, targetToken }) {
  // Of two models the second one knows the target language.
  return models.map((model, i) => identityOf(model, i === models.length - 1 ? targetToken : undefined));
}

/** The workers that are running. @type {Set<EngineWorker>} */
const running = new Set();
let workers = 0;

export class EngineWorker {
  /** Distinguishes it from others. */
  number = ++workers;
  #worker;
  /** @type {Worker[]} */
  #threads = [];
  /** Threads and module that were asked for. */
  #kind;
  /** @type {Map<number, {client: Client, models: string[]}>} */
  #clients = new Map();
  #next = 0;
  /** Clients that wait for something: a process may end while there are none. @type {Set<number>} */
  #waiting = new Set();

  /** @param {string} kind */
  constructor(kind) {
    this.#kind = kind;
    this.#worker = environment.startWorker(worker());
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const reason =
        event.message ||
        `its script, ${worker().href}, could not be loaded. It must be there, and if its host is another one than the page's, ` +
          "that host must allow the page's origin (CORS), for the files in pkg/ too.";
      this.#fail(reason);
    };
    running.add(this);
  }

  /** @param {string} reason */
  #fail(reason) {
    running.delete(this);
    for (const { client } of [...this.#clients.values()]) client.workerFailed(reason);
  }

  /**
   * A worker for models: the one that has most of them, or a new one.
   * @param {ModelSource} wanted
   * @param {string[]} models their {@link identities}
   */
  static for(wanted, models) {
    const kind = `${wanted.threads} ${wanted.variant}`;
    /** @type {EngineWorker | undefined} */
    let best;
    let most = 0;
    for (const each of running) {
      const common = each.#kind === kind ? each.#inCommon(models) : 0;
      if (common > most) [best, most] = [each, common];
    }
    return best ?? new EngineWorker(kind);
  }

  /** @param {string[]} models */
  #inCommon(models) {
    const here = new Set([...this.#clients.values()].flatMap(({ models }) => models));
    return models.filter((model) => here.has(model)).length;
  }

  /**
   * @param {Client} client
   * @param {string[]} models what it has loaded
   * @returns {number} its number, for the other methods
   */
  join(client, models) {
    const number = this.#next++;
    this.#clients.set(number, { client, models });
    return number;
  }

  /**
   * Ends a client's engine, and with the last one the worker.
   * @param {number} number
   */
  leave(number) {
    if (!this.#clients.has(number)) return;
    if (this.#clients.size > 1) this.post(number, { type: "end" });
    this.#clients.delete(number);
    this.keepAlive(number, false);
    if (this.#clients.size > 0) return;
    running.delete(this);
    for (const each of [this.#worker, ...this.#threads]) each.terminate();
  }

  /**
   * @param {number} number
   * @param {ToWorker} message
   * @param {Transferable[]} [transfer]
   */
  post(number, message, transfer = []) {
    if (this.#clients.has(number)) this.#worker.postMessage({ ...message, client: number }, transfer);
  }

  /**
   * Whether a client waits for something.
   * @param {number} number
   * @param {boolean} waits
   */
  keepAlive(number, waits) {
    if (waits) this.#waiting.add(number);
    else this.#waiting.delete(number);
    if (this.#waiting.size > 0) this.#worker.ref?.();
    else this.#worker.unref?.();
  }

  /** @param {FromWorker} message */
  #receive(message) {
    if (message.type === "thread") return this.#startThread(message);
    if (message.client !== undefined) return this.#clients.get(message.client)?.client.receive(message);
    // A message without a client concerns all: the worker has failed.
    running.delete(this);
    for (const { client } of [...this.#clients.values()]) client.receive(message);
  }

  /** @param {StartThread} start */
  #startThread({ thread, url, message }) {
    // The message was under way when the engine was ended.
    if (this.#clients.size === 0) return;
    const started = environment.startWorker(new URL(url));
    let isReady = false;
    started.onmessage = ({ data }) => {
      isReady = true;
      this.#worker.postMessage({ type: "thread", thread, data }, []);
    };
    started.onerror = (event) => {
      event.preventDefault();
      const reason = event.message || `its script, ${url}, could not be loaded`;
      // The engine waits for its threads without hearing anything.
      if (isReady) return this.#fail(`one of its threads failed: ${reason}`);
      for (const each of this.#threads.splice(0)) each.terminate();
      this.#worker.postMessage({ type: "thread-failed", thread, reason }, []);
    };
    started.postMessage(message, []);
    started.unref?.();
    this.#threads.push(started);
  }
}
