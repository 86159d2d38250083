/**
 * The server under load, on this machine: `node benches/serve.mjs --source test.en [--threads 2] [--seconds 10] [--connections 256]
 * [--soak 600]`.
 *
 * Prints words per second of `wanderwort bench` and of the server with many clients, one line of the text in each request; then, with requests
 * that come at random times (a Poisson process) at half and at nine tenths of what the server can do, the median and the 95th percentile of the
 * time to the answer; and the memory that the server holds after each. With `--soak`, the load of one half continues for this many seconds, and
 * the memory is measured along the way. The load is generated on the same machine and takes its share of it.
 * `target/release/wanderwort` has to be built.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    model: { type: "string", default: "models/en-de.tiny.wanderwort" },
    program: { type: "string", default: "target/release/wanderwort" },
    source: { type: "string" },
    threads: { type: "string", default: "2" },
    seconds: { type: "string", default: "10" },
    connections: { type: "string", default: "256" },
    soak: { type: "string", default: "0" },
  },
});
if (!values.source) throw new Error("expected --source FILE, a text of one sentence a line");
const { model, program, source, threads } = values;
const [milliseconds, connections] = [1000 * Number(values.seconds), Number(values.connections)];

const lines = readFileSync(source, "utf8").split("\n").filter(Boolean);
const words = lines.map((line) => line.split(/\s+/).filter(Boolean).length);
const meanWords = words.reduce((sum, count) => sum + count, 0) / lines.length;

const direct = JSON.parse(
  execFileSync(
    program,
    ["bench", "--model", model, "--source", source, "--threads", threads, "--seconds", values.seconds, "--json"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  ),
);
console.log(`bench, ${threads} threads: ${Math.round(direct.words_per_second)} words/s`);

const server = spawn(program, ["serve", "--model", model, "--listen", "127.0.0.1:0", "--threads", threads], {
  stdio: ["ignore", "pipe", "inherit"],
});
const address = String((await createInterface(server.stdout)[Symbol.asyncIterator]().next()).value);
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** One request; returns the status and the text. @param {string} path @param {string} [body] @returns {Promise<{status: number, text: string}>} */
function ask(path, body) {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json" };
    const sent = request(`${address}${path}`, { agent, headers, method: body ? "POST" : "GET" }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const bodies = lines.map((q) => JSON.stringify({ q, source: "en", target: "de" }));
let next = 0;
const errors = new Map();
/** Has the next line translated; returns its number of words, or 0 after an error. */
async function translateNext() {
  const index = next++ % lines.length;
  const { status } = await ask("/translate", bodies[index]).catch((error) => ({ status: error.code }));
  if (status === 200) return words[index] ?? 0;
  errors.set(status, (errors.get(status) ?? 0) + 1);
  return 0;
}

/** MiB that the server holds. */
async function memory() {
  const { text } = await ask("/metrics");
  return Math.round(Number(/^wanderwort_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / 2 ** 20);
}

/** As many requests at once as there are connections: words per second, without the time in which they begin and end. */
async function capacity() {
  const start = performance.now();
  const [from, to] = [start + 0.2 * milliseconds, start + 1.2 * milliseconds];
  let done = 0;
  const client = async () => {
    while (performance.now() < to) {
      const count = await translateNext();
      if (performance.now() >= from && performance.now() < to) done += count;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return (done / milliseconds) * 1000;
}

/**
 * Requests at random times, `rate` per second on average: milliseconds to each answer, in ascending order.
 * @param {number} rate
 * @param {number} milliseconds
 */
async function times(rate, milliseconds) {
  const found = /** @type {number[]} */ ([]);
  const running = new Set();
  const start = performance.now();
  for (let at = start; at < start + milliseconds; at += (-Math.log(1 - Math.random()) / rate) * 1000) {
    const wait = at - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    // Measured from when it was due to be sent: a wait for a free connection is part of it.
    const one = translateNext().then((count) => void (count && found.push(performance.now() - at)));
    running.add(one);
    void one.finally(() => running.delete(one));
  }
  await Promise.all(running);
  return found.sort((a, b) => a - b);
}

await Promise.all(Array.from({ length: connections }, translateNext));
const served = await capacity();
const share = Math.round((100 * served) / direct.words_per_second);
console.log(`serve, ${connections} clients: ${Math.round(served)} words/s (${share} %), ${await memory()} MiB`);
for (const load of [0.5, 0.9]) {
  const found = await times((load * served) / meanWords, milliseconds);
  const [median, most] = [0.5, 0.95].map((part) => found[Math.floor(part * found.length)]?.toFixed(1));
  const held = await memory();
  console.log(`at ${load} of that: ${found.length} requests, median ${median} ms, 95 % within ${most} ms, ${held} MiB`);
}
const soak = 1000 * Number(values.soak);
if (soak > 0) {
  const [parts, held] = [10, [await memory()]];
  for (let part = 0; part < parts; part++) {
    await times((0.5 * served) / meanWords, soak / parts);
    held.push(await memory());
  }
  console.log(`${values.soak} s at half: ${held.join(", ")} MiB`);
}
console.log(errors.size ? `errors: ${JSON.stringify([...errors])}` : "no errors");
agent.destroy();
server.kill("SIGTERM");
const code = await new Promise((resolve) => server.on("exit", resolve));
if (code !== 0 || errors.size) process.exitCode = 1;
