/**
 * `wanderwort serve` as pages use it: only those of an origin that was named, with the services' interfaces, and no work for those that have left.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BLANK, inEveryBrowser } from "./harness.mjs";
import { WANDERWORT, sentences, translateNatively } from "./native.mjs";

const MODEL = fileURLToPath(new URL("../../models/en-de.tiny.wanderwort", import.meta.url));
const TOKEN = "a token";

const lines = sentences().slice(0, 60);
const expected = translateNatively(lines);

/**
 * Runs the server and shuts it down in an orderly way.
 * @param {string[]} options
 * @param {(address: string) => Promise<void>} action
 */
async function withServer(options, action) {
  const server = spawn(WANDERWORT, ["serve", "--model", MODEL, "--listen", "127.0.0.1:0", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, WANDERWORT_TOKEN: TOKEN },
  });
  try {
    const [address] = await once(createInterface(server.stdout), "line");
    await action(address);
  } finally {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  }
}

/** A metric of the server. @param {string} address @param {string} name */
async function metric(address, name) {
  const answer = await fetch(`${address}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(await answer.text())?.[1]);
}

inEveryBrowser("a server", ({ withPage }) => {
  test("a page of an origin that was named speaks each interface", () =>
    withPage({ path: BLANK }, async ({ page, url }) =>
      withServer(["--allow-origin", new URL(url).origin], async (address) => {
        const found = await page.evaluate(
          async ({ address, token, lines }) => {
            /** @param {string} path @param {object} body @param {Record<string, string>} [headers] */
            const ask = async (path, body, headers) => {
              const answer = await fetch(`${address}${path}`, {
                method: "POST",
                headers: { "Content-Type": "application/json", ...headers },
                body: JSON.stringify(body),
              });
              return { status: answer.status, body: await answer.json() };
            };
            const one = (/** @type {string} */ q) =>
              ask("/translate", { q, source: "en", target: "de", format: "text", api_key: token });
            const deepl = { Authorization: `DeepL-Auth-Key ${token}` };
            const immersive = { Authorization: `Bearer ${token}` };
            return {
              together: await Promise.all(lines.map(one)),
              list: await ask("/v2/translate", { text: lines, target_lang: "DE" }, deepl),
              immersive: await ask("/immersive", { text_list: lines, source_lang: "en", target_lang: "de" }, immersive),
              refused: await ask("/translate", { q: "secret", source: "en", target: "de", api_key: "another" }),
              unknown: await ask("/translate", { q: "secret", source: "en", target: "fr", api_key: token }),
            };
          },
          { address, token: TOKEN, lines },
        );
        assert.deepEqual(
          found.together.map(({ body }) => body.translatedText),
          expected,
        );
        const texts = (/** @type {{body: {translations: {text: string}[]}}} */ { body }) =>
          body.translations.map(({ text }) => text);
        assert.deepEqual(texts(found.list), expected);
        assert.deepEqual(texts(found.immersive), expected);
        // Errors can be read too, and reveal nothing of the text.
        for (const { status, body } of [found.refused, found.unknown]) {
          assert.ok(status >= 400 && status < 500, String(status));
          assert.ok(body.error && !JSON.stringify(body).includes("secret"), JSON.stringify(body));
        }
      }),
    ));

  test("what a page has left is not translated", () =>
    withPage({ path: BLANK }, async ({ page, url }) =>
      withServer(["--allow-origin", new URL(url).origin, "--threads", "1"], async (address) => {
        const q = lines.join(" ").repeat(10);
        const name = await page.evaluate(
          async ({ address, token, q }) => {
            const controller = new AbortController();
            const { signal } = controller;
            const body = new URLSearchParams({ q, source: "en", target: "de", api_key: token });
            const answer = fetch(`${address}/translate`, { method: "POST", body, signal });
            setTimeout(() => controller.abort(), 300);
            return answer.then(
              () => "answered",
              (/** @type {Error} */ error) => error.name,
            );
          },
          { address, token: TOKEN, q },
        );
        assert.equal(name, "AbortError");
        for (const end = Date.now() + 20_000; (await metric(address, "wanderwort_waiting_characters")) > 0;) {
          assert.ok(Date.now() < end, "the server goes on with what nobody waits for");
          await sleep(20);
        }
        assert.equal(await metric(address, "wanderwort_cancelled_requests_total"), 1);
      }),
    ));

  test("a page of another origin reads nothing", () =>
    withPage({ path: BLANK }, async ({ page }) => {
      for (const options of [[], ["--allow-origin", "http://another.example"]]) {
        await withServer(options, async (address) => {
          const name = await page.evaluate(
            async ({ address, token }) => {
              const body = new URLSearchParams({ q: "A dog.", source: "en", target: "de", api_key: token });
              return fetch(`${address}/translate`, { method: "POST", body }).then(
                () => "answered",
                (/** @type {Error} */ error) => error.name,
              );
            },
            { address, token: TOKEN },
          );
          assert.equal(name, "TypeError");
        });
      }
    }));
});
