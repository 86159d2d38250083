/**
 * Which engines the extension keeps in memory, with stand-ins for them: time and memory as they come.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Engines } from "../../www/extension/engines.js";

/**
 * @param {{bytes?: number, idleMs?: number, shared?: boolean}} [options] `shared`: all engines have one worker, which has twice 40 bytes
 */
function keep({ bytes = 100, idleMs = 3000, shared = false } = {}) {
  /** @type {string[]} */
  const events = [];
  let workers = 0;
  const engines = new Engines({
    start: (models) => {
      const name = models.join("+");
      events.push(`start ${name}`);
      /** @type {any} */
      const connection = {
        closed: undefined,
        loaded: /bad/.test(name)
          ? Promise.reject(new Error("no model"))
          : Promise.resolve(
              shared ? { memoryBytes: 80, worker: 1 } : { memoryBytes: 40 * models.length, worker: ++workers },
            ),
        close(/** @type {unknown} */ reason) {
          connection.closed = reason;
          events.push(`end ${name}`);
        },
      };
      connection.loaded.catch(() => (connection.closed = new Error("no model")));
      return connection;
    },
    limits: async () => ({ bytes, idleMs }),
    onempty: () => events.push("empty"),
  });
  return { engines, events };
}

test("an engine is loaded once, whoever uses it", async () => {
  const { engines, events } = keep();
  const [one, two] = [engines.use(["fr-de"]), engines.use(["fr-de"])];
  assert.equal(one, two);
  await engines.release(one);
  assert.equal(engines.use(["fr-de"]), one);
  assert.deepEqual(events, ["start fr-de"]);
});

test("where memory is short, those used longest ago end first, and none that works", async () => {
  const { engines, events } = keep({ bytes: 100 });
  const fr = engines.use(["fr-de"]);
  const en = engines.use(["en-de"]);
  await sleep(1);
  const es = engines.use(["es-de"]);
  await sleep(1);
  assert.deepEqual(events.slice(3), [], "all three have work");
  await engines.release(en);
  assert.deepEqual(events.slice(3), ["end en-de"]);
  await engines.release(fr);
  await engines.release(es);
  assert.equal(engines.size, 2);
  engines.use(["fr-de"]);
  // Two models one after the other take more than there is besides what has work.
  engines.use(["ja-en", "en-de"]);
  await sleep(1);
  assert.deepEqual(events.slice(4), ["start ja-en+en-de", "end es-de"]);
});

test("the memory of a worker counts once, however many engines it has", async () => {
  const { engines, events } = keep({ bytes: 100, shared: true });
  for (const models of [["fr-en", "en-de"], ["en-de"], ["fr-en"]]) {
    await engines.release(engines.use(models));
    await sleep(1);
  }
  assert.equal(engines.size, 3);
  assert.deepEqual(events, ["start fr-en+en-de", "start en-de", "start fr-en"]);
});

test("what has had no work for some time ends, and the last one says so", async () => {
  const { engines, events } = keep({ idleMs: 20 });
  const fr = engines.use(["fr-de"]);
  await engines.release(fr);
  engines.use(["fr-de"]);
  await sleep(60);
  assert.deepEqual(events, ["start fr-de"], "it has work again");
  await engines.release(fr);
  await sleep(60);
  assert.deepEqual(events, ["start fr-de", "end fr-de", "empty"]);
});

test("what could not be loaded is tried anew", async () => {
  const { engines, events } = keep();
  const first = engines.use(["bad"]);
  await assert.rejects(first.connection.loaded);
  await engines.release(first);
  assert.notEqual(engines.use(["bad"]), first);
  assert.deepEqual(events, ["start bad", "start bad"]);
});
