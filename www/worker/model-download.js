/**
 * Fetches the files of models, from the browser's storage or the network, and passes them to their loaders.
 */
import { downloadSize, modelSize, storedForm, storedForms } from "../library/catalogue.js";
import { ModelStore, lockName } from "../library/storage.js";
import { fileBytes } from "./download.js";
import { PROGRESS_INTERVAL_MS } from "./messages.js";

/** @typedef {import("../library/catalogue.js").ModelFile} ModelFile */
/** @typedef {import("../library/catalogue.js").Source} Source */
/** @typedef {import("../pkg/relaxed-simd-threads/wanderwort.js").Loader} Loader */
/** @typedef {import("./messages.js").Post} Post */

/**
 * A file has been passed to its loader; `storing` settles when it is kept, too, and does not fail.
 * @typedef {{storing: Promise<void>}} Brought
 */

/** The engine warms up only while what is still to come takes longer than this. */
const WARM_UP_MS = 200;

/** The first bytes say little about how fast a network is. */
const LEAST_MEASURED = 256 * 1024;

/** Bytes that come this soon were here before they were asked for. */
const AT_ONCE_MS = 2;

/** How long bytes from the network are waited for; what is done with them does not count. */
class Pace {
  #waited = 0;
  #bytes = 0;
  #last = 0;
  /** @type {number | undefined} none before the first bytes, which wait for the connection */
  #since;

  /** From now on the next bytes are waited for. */
  wait() {
    this.#since = performance.now();
  }

  /** @param {number} bytes */
  arrived(bytes) {
    if (this.#since === undefined) return;
    this.#last = performance.now() - this.#since;
    this.#waited += this.#last;
    this.#bytes += bytes;
  }

  /** How many milliseconds this many more bytes will be waited for; 0 if that is not known. @param {number} bytes */
  timeFor(bytes) {
    if (this.#bytes < LEAST_MEASURED || this.#last < AT_ONCE_MS) return 0;
    return (this.#waited * bytes) / this.#bytes;
  }
}

export class ModelDownload {
  #models;
  #loaded = 0;
  #total = 0;
  #fromNetwork = 0;
  #pace = new Pace();
  #lastTold = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #telling;
  /** @type {ModelStore | null} */
  #store = null;
  /** @type {string | undefined} */
  #notStored;

  /** What has been passed to loaders and is still on its way into the store, by SHA-256. @type {Map<string, Promise<unknown>>} */
  #storing = new Map();

  /** What was fetched and is kept now, unless another tab has deleted it. @type {{sha256: string, size: number}[]} */
  #fetched = [];

  /** SHA-256 of what stays, however short storage is. @type {ReadonlySet<string>} */
  #keep;

  #post;
  #ended;
  /** @type {(() => Promise<boolean>) | undefined} */
  #warmUp;

  /**
   * @param {{files: ModelFile[]}[]} models
   * @param {string[]} keep
   * @param {{post: Post, ended: AbortSignal, warmUp: () => Promise<boolean>}} means `warmUp` is called when there is time for it, until it
   *   returns false
   */
  constructor(models, keep, { post, ended, warmUp }) {
    this.#models = models;
    for (const model of models) this.#total += modelSize(model);
    this.#post = post;
    this.#ended = ended;
    this.#warmUp = warmUp;
    const needed = models.flatMap(({ files }) => files.flatMap(storedForms)).map(({ sha256 }) => sha256);
    this.#keep = new Set([...keep, ...needed]);
  }

  /** Whether all of it is kept, or why not: known a little after all of it has been passed on. */
  async kept() {
    await Promise.all(this.#storing.values());
    for (const { sha256, size } of this.#fetched) {
      if (!(await this.#store?.has(sha256, size))) this.#notStored ??= "another tab has deleted it";
    }
    return { stored: this.#store !== null && this.#notStored === undefined, notStored: this.#notStored };
  }

  /**
   * @param {(Promise<Loader> | undefined)[]} loaders one for each model, none for those that are in memory; awaited only when the first bytes are here,
   *   so that both load side by side
   */
  async into(loaders) {
    this.#store = await ModelStore.open();
    try {
      for (const [i, model] of this.#models.entries()) {
        const loader = loaders[i];
        if (!loader) this.#loaded += modelSize(model);
        for (const file of model.files) if (loader) await this.#locked(file, () => this.#bring(file, loader));
      }
    } catch (error) {
      // The worker may end with the failure; what had come before is kept.
      await Promise.allSettled(this.#storing.values());
      throw error;
    }
    this.#tell(true);
  }

  /**
   * Two tabs that need the same file at once download it once: the second waits, and then finds it stored. Settles when the file has been passed on,
   * which is before it is stored.
   * @param {ModelFile} file
   * @param {() => Promise<Brought>} bring
   */
  async #locked(file, bring) {
    const { sha256 } = file;
    // Both vocabularies may be one file, which is there once it is stored.
    await this.#storing.get(sha256);
    if (!this.#store || !globalThis.navigator?.locks) {
      this.#storing.set(sha256, (await bring()).storing);
      return;
    }
    const name = lockName(sha256);
    /** @type {(nothing?: undefined) => void} */
    let pass = () => {};
    const passed = new Promise((resolve) => (pass = resolve));
    const held = async () => {
      const { storing } = await bring();
      pass();
      await storing;
    };
    const request = async () => {
      const done = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
        if (lock) await held();
        return lock !== null;
      });
      if (done) return;
      this.#post({ type: "waiting" });
      await navigator.locks.request(name, { signal: this.#ended }, held);
    };
    const stored = request();
    this.#storing.set(sha256, stored);
    await Promise.race([stored, passed]);
  }

  /**
   * Fetches a file from one of its sources, which are tried in turn: those of which most is kept come first.
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   * @returns {Promise<Brought>}
   */
  async #bring(file, loader) {
    const before = this.#loaded;
    /** @type {{error: unknown, url: string}[]} */
    const failures = [];
    for (const source of await this.#inOrder(file)) {
      try {
        const brought = await this.#guarded(file, source, () => this.#bringFrom(source, file, loader));
        this.#loaded = before + downloadSize(file);
        return brought;
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
   * Has no other tab delete what is kept of a file, which is named by its compressed form, until it is stored.
   * @param {ModelFile} file
   * @param {Source} source
   * @param {() => Promise<Brought>} bring
   * @returns {Promise<Brought>}
   */
  #guarded(file, source, bring) {
    const form = storedForm(file, source);
    if (!this.#store || !globalThis.navigator?.locks || !form || form.sha256 === file.sha256) return bring();
    return new Promise((resolve, reject) => {
      const held = async () => {
        const brought = await bring();
        resolve(brought);
        await brought.storing;
      };
      navigator.locks.request(lockName(form.sha256), { signal: this.#ended }, held).catch(reject);
    });
  }

  /**
   * A file's sources, those of which most is kept first.
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
   * Fetches a file until it is what the list announces. A package's damaged section is fetched anew from its first byte, once;
   * if that does not help, or the checksum of the whole is wrong, everything is fetched anew from the server, once.
   * @param {Source} source
   * @param {ModelFile} file
   * @param {Promise<Loader>} loader
   * @returns {Promise<Brought>}
   */
  async #bringFrom(source, file, loader) {
    const before = this.#loaded;
    const alreadyFetched = this.#fromNetwork;
    const form = storedForm(file, source);
    const once = new Set();
    /** @type {number | undefined} */
    let fetchFrom;
    for (;;) {
      const passed = await this.#pass({ url: source.url, ...form }, file, loader, fetchFrom);
      const { sha256, error, rewound, storing } = passed;
      if (sha256 === file.sha256) {
        if (!form) this.#notStored ??= `the list does not say what ${source.url} is, so it cannot be kept`;
        else if (this.#fromNetwork > alreadyFetched) this.#fetched.push(form);
        return passed;
      }
      await storing;
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
   * Passes a file's bytes to the loader, those from `fetchFrom` on anew from the network, until they end or the loader refuses them.
   * @param {import("./download.js").Fetched} fetched
   * @param {ModelFile} file
   * @param {Promise<Loader>} ready
   * @param {number | undefined} fetchFrom
   * @returns {Promise<Brought & {sha256?: string, error?: unknown, rewound: number}>} the checksum of the content, or why the loader
   *   refused it and where a package may go on
   */
  async #pass(fetched, file, ready, fetchFrom) {
    let storing = Promise.resolve();
    const chunks = fileBytes(fetched, {
      store: this.#store,
      signal: this.#ended,
      fetchFrom,
      makeRoom: async () => (await this.#store?.prune(this.#keep)) ?? false,
      notStored: (reason) => (this.#notStored = reason),
      storing: (stored) => (storing = stored),
    });
    const start = fetchFrom ?? 0;
    let begun = start > 0;
    for await (const { bytes, offset, from } of chunks) {
      if (from === "network") this.#pace.arrived(bytes.length);
      const loader = await ready;
      if (!begun) begin(loader, file);
      begun = true;
      // A part may begin before the place to go on from.
      const useful = bytes.subarray(Math.min(bytes.length, Math.max(0, start - offset)));
      try {
        loader.push(useful);
      } catch (error) {
        return { error, rewound: loader.rewind(), storing };
      }
      this.#loaded += useful.length;
      if (from === "network") this.#fromNetwork += bytes.length;
      this.#tell(false);
      if (from === "network") {
        await this.#useTime();
        this.#pace.wait();
      }
    }
    const loader = await ready;
    try {
      return { sha256: loader.end(), rewound: 0, storing };
    } catch (error) {
      return { error, rewound: 0, storing };
    }
  }

  /** Has the engine warm up if the network leaves time for it. */
  async #useTime() {
    if (!this.#warmUp || this.#ended.aborted || this.#pace.timeFor(this.#total - this.#loaded) < WARM_UP_MS) return;
    try {
      if (!(await this.#warmUp())) this.#warmUp = undefined;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      // A module of a different version from this script's translates all the same.
      this.#warmUp = undefined;
    }
  }

  /** @param {boolean} now */
  #tell(now) {
    const wait = this.#lastTold + PROGRESS_INTERVAL_MS - performance.now();
    if (!now && wait > 0) {
      // What has come is reported even if nothing follows for a long time.
      this.#telling ??= setTimeout(() => this.#tell(true), wait);
      return;
    }
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#lastTold = performance.now();
    // A source of unknown size may have more.
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
 * @param {unknown} error the loader's, if there was one
 */
function wrongFile(url, error) {
  const reason = error instanceof Error ? error.message : "its checksum differs";
  return new DOMException(
    `${url} is not the file that the list of models announces: ${reason}. ` +
      "The site's models are being changed or are damaged: try again later, or tell the site's owner.",
    "NetworkError",
  );
}
