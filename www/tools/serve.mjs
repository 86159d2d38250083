/**
 * Serves the page and the models on this machine: `node www/tools/serve.mjs [--port N] [--host NAME]`.
 *
 * It answers on loopback only unless told otherwise, sends the headers that make the page cross-origin isolated
 * (without which browsers give no shared memory, hence no threads), and understands Range requests.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { LIST, listSite } from "./site.mjs";

const WWW = fileURLToPath(new URL("..", import.meta.url));
const MODELS = fileURLToPath(new URL("../../models", import.meta.url));

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * @typedef {object} ServeOptions
 * @property {number} [port] 0 takes any free one
 * @property {string} [host]
 * @property {boolean} [isolated] whether pages become cross-origin isolated; true by default
 * @property {string} [site] the page's folder
 * @property {string} [models] the folder served as /models/
 * @property {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean | Promise<boolean>} [intercept]
 *   sees each request first and returns true if it has answered; tests use it to misbehave
 */

/**
 * The file that a request's path means, or null if that is outside the folders served.
 * @param {string} path
 * @param {string} site
 * @param {string} models
 */
function fileFor(path, site, models) {
  let decoded;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (decoded.includes("\0")) return null;
  const clean = normalize(decoded).split(sep).join("/");
  if (!clean.startsWith("/") || clean.split("/").some((part) => part === ".." || part.startsWith("."))) return null;
  if (clean.startsWith("/models/")) return join(models, clean.slice("/models/".length));
  return join(site, clean.endsWith("/") ? `${clean}index.html` : clean);
}

/**
 * The first and last byte that a Range header asks for; undefined if there is none that we serve, null if it lies
 * outside the file.
 * @param {string | undefined} header
 * @param {number} size
 * @returns {[number, number] | null | undefined}
 */
function parseRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const first = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const last = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  return first > last ? null : [first, last];
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {ServeOptions} options
 */
async function answer(request, response, options) {
  if (options.isolated ?? true) {
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
  }
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-cache");
  if (await options.intercept?.(request, response)) return;
  /** @param {number} status @param {string} text */
  const refuse = (status, text) => {
    response.writeHead(status, { "Content-Type": TYPES[".txt"] }).end(`${text}\n`);
  };
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Only GET and HEAD");
  const { site = WWW, models = MODELS } = options;
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const file = fileFor(path, site, models);
  const facts = file === null ? null : await stat(file).catch(() => null);
  if (path === `/${LIST}` && !facts) {
    // A working folder has no list; it would be wrong after the next change.
    const list = JSON.stringify(await listSite(site));
    response.writeHead(200, { "Content-Type": TYPES[".json"] }).end(list);
    return;
  }
  if (file === null || !facts?.isFile()) return refuse(404, "Not found");
  const tag = `"${facts.size.toString(16)}-${Math.floor(facts.mtimeMs).toString(16)}"`;
  response.setHeader("ETag", tag);
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
  if (request.headers["if-none-match"] === tag) {
    response.writeHead(304).end();
    return;
  }
  const range = parseRange(request.headers.range, facts.size);
  if (range === null) {
    response.setHeader("Content-Range", `bytes */${facts.size}`);
    return refuse(416, "No such range");
  }
  const [first, last] = range ?? [0, facts.size - 1];
  if (range) response.setHeader("Content-Range", `bytes ${first}-${last}/${facts.size}`);
  response.setHeader("Content-Length", facts.size === 0 ? 0 : last - first + 1);
  response.writeHead(range ? 206 : 200);
  if (request.method === "HEAD" || facts.size === 0) {
    response.end();
    return;
  }
  const stream = createReadStream(file, { start: first, end: last });
  stream.on("error", () => response.destroy());
  response.on("close", () => stream.destroy());
  stream.pipe(response);
}

/**
 * Starts the server; if the port is taken, any free one is used instead.
 * @param {ServeOptions} [options]
 * @returns {Promise<{url: string, port: number, close: () => Promise<void>}>}
 */
export async function serve(options = {}) {
  const host = options.host ?? "127.0.0.1";
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  /** @param {number} port @returns {Promise<void>} */
  const listen = (port) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  await listen(options.port ?? 0).catch((error) => {
    if (error.code !== "EADDRINUSE") throw error;
    return listen(0);
  });
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}/`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "8000" }, host: { type: "string", default: "127.0.0.1" } },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error(`serve.mjs: --port ${values.port}: expected a number from 0 to 65535`);
    process.exit(2);
  }
  const { url } = await serve({ port, host: values.host });
  console.log(`\n  Wanderwort is at ${url}\n  Ctrl+C ends it.\n`);
}
