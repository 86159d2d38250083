/**
 * Two tabs that share what the browser keeps of models, with a browser that only the test knows.
 */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { removeModel } from "../../www/library/kept-models.js";
import { ModelStore, PART_SIZE } from "../../www/library/storage.js";
import { ModelDownload } from "../../www/worker/model-download.js";

/** @typedef {import("../../www/library/catalogue.js").ModelEntry} ModelEntry */

const UNPACKED = "a".repeat(64);
const PACKED = "b".repeat(64);
const SIZE = 3 * PART_SIZE;

/** What the browser keeps, by address. @type {Map<string, Response>} */
const entries = new Map();
const cache = {
  match: async (/** @type {any} */ request) => entries.get(request.url ?? request)?.clone(),
  put: async (/** @type {string} */ url, /** @type {Response} */ response) => void entries.set(url, response),
  keys: async () => [...entries.keys()].map((url) => ({ url })),
  delete: async (/** @type {any} */ request) => entries.delete(request.url ?? request),
};

/** The last that holds or waits for each lock. @type {Map<string, Promise<unknown>>} */
const held = new Map();
const locks = {
  request: async (/** @type {string} */ name, /** @type {any} */ { ifAvailable }, /** @type {any} */ action) => {
    const before = held.get(name);
    if (before && ifAvailable) return action(null);
    const run = (async () => {
      await before?.catch(() => {});
      return action({ name });
    })();
    held.set(name, run);
    try {
      return await run;
    } finally {
      if (held.get(name) === run) held.delete(name);
    }
  },
};

const globals = ["caches", "navigator", "fetch"].map(
  (name) => /** @type {const} */ ([name, Object.getOwnPropertyDescriptor(globalThis, name)]),
);
Object.defineProperty(globalThis, "navigator", { configurable: true, value: { locks, onLine: true } });
Object.assign(globalThis, { caches: { open: async () => cache } });
after(() => {
  for (const [name, before] of globals) {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  }
});

beforeEach(() => entries.clear());

/** @param {boolean} isPacked @returns {ModelEntry} */
function modelOf(isPacked) {
  const url = `https://models.example/model.bin${isPacked ? ".zst" : ""}`;
  const source = isPacked ? { url, size: SIZE, sha256: PACKED } : { url };
  const file = { role: /** @type {const} */ ("model"), name: "model.bin", url, size: SIZE, sha256: UNPACKED };
  return { name: "model", source: "en", target: "de", files: [{ ...file, sources: [source] }] };
}

/**
 * Downloads a model, and does something meanwhile.
 * @param {ModelEntry} model
 * @param {() => Promise<unknown>} meanwhile
 */
async function download(model, meanwhile) {
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(2 * PART_SIZE));
      while (entries.size < 1) await new Promise((resolve) => setTimeout(resolve, 5));
      await meanwhile();
      controller.enqueue(new Uint8Array(PART_SIZE));
      controller.close();
    },
  });
  globalThis.fetch = async () => new Response(body);
  const loader = /** @type {any} */ ({ beginFile() {}, push() {}, end: () => UNPACKED });
  const means = { post() {}, ended: new AbortController().signal, warmUp: async () => false };
  const downloading = new ModelDownload([model], [], means);
  await downloading.into([Promise.resolve(loader)]);
  return downloading;
}

/** @param {boolean} isPacked */
async function isWhole(isPacked) {
  return (await ModelStore.open())?.has(isPacked ? PACKED : UNPACKED, SIZE);
}

for (const isPacked of [false, true]) {
  const which = isPacked ? "a compressed model" : "a model";
  /** @type {Record<string, () => Promise<unknown>>} */
  const deletions = {
    "makes room for another": async () => (await ModelStore.open())?.prune(new Set(["c".repeat(64)])),
    "deletes what no list names": async () => (await ModelStore.open())?.pruneUnlisted(),
    "is to delete it": () => removeModel(modelOf(isPacked)),
  };
  for (const [what, deletion] of Object.entries(deletions)) {
    test(`${which} that one tab is downloading stays while another ${what}`, async () => {
      const downloading = await download(modelOf(isPacked), deletion);
      assert.deepEqual(await downloading.kept(), { stored: true, notStored: undefined });
      assert.ok(await isWhole(isPacked));
      await deletion();
      assert.equal(entries.size, 0, "it can be deleted afterwards");
    });
  }

  test(`${which} that was deleted before the tab says whether it is kept is not called kept`, async () => {
    const downloading = await download(modelOf(isPacked), async () => {});
    while (!(await isWhole(isPacked))) await new Promise((resolve) => setTimeout(resolve, 5));
    entries.clear();
    const { stored, notStored } = await downloading.kept();
    assert.equal(stored, false);
    assert.match(notStored ?? "", /deleted/);
  });
}
