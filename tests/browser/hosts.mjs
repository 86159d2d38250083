/**
 * A server on this machine that answers as the hosts of published models do: records and their attachments (zstd), a registry and
 * its files (gzip).
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { MARIAN_FOLDER } from "./prototype.mjs";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */

export const RECORDS = "/v1/buckets/main/collections/translations-models-v2/records";
export const REGISTRY = "/db/models.json";

/** A file of a model as it is published. @typedef {{name: string, fileType: string, field: string, bytes: Buffer}} Part */

const sha256 = (/** @type {Buffer} */ bytes) => createHash("sha256").update(bytes).digest("hex");

/** The most bytes of a block. */
const BLOCK = 128 * 1024;

/**
 * A Zstandard frame (RFC 8878) whose blocks are not compressed, since Node has a compressor only from version 22.15 on.
 * @param {Buffer} content
 * @returns {Buffer}
 */
export function zstdFrame(content) {
  // Descriptor: the size of the content in four bytes, one segment, no checksum.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const blocks = [];
  for (let offset = 0; offset < content.length || offset === 0; offset += BLOCK) {
    const block = content.subarray(offset, offset + BLOCK);
    const head = Buffer.alloc(3);
    head.writeUIntLE((block.length << 3) | Number(offset + BLOCK >= content.length), 0, 3);
    blocks.push(head, block);
  }
  return Buffer.concat([header, ...blocks]);
}

/**
 * The prototype's files under the names of a pair of languages: a stand-in, since only the form matters here.
 * @param {string} pair two codes of two letters
 * @param {number} [behind] meaningless bytes after the weights, which make them another file
 * @returns {Part[]}
 */
export function standIn(pair, behind = 0) {
  const part = (/** @type {string} */ file, /** @type {string} */ fileType, /** @type {string} */ field) => {
    const own = readFileSync(join(MARIAN_FOLDER, file));
    const bytes = fileType === "model" ? Buffer.concat([own, Buffer.alloc(behind)]) : own;
    return { name: file.replace("ende", pair), fileType, field, bytes };
  };
  return [
    part("vocab.ende.spm", "vocab", "vocab"),
    part("model.ende.intgemm.alphas.bin", "model", "model"),
    part("lex.50.50.ende.s2t.bin", "lex", "lexicalShortlist"),
  ];
}

/** A folder with a model's files, for the native engine. @param {Part[]} parts @returns {string} */
export function folderOf(parts) {
  const folder = mkdtempSync(join(tmpdir(), "wanderwort-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const { name, bytes } of parts) writeFileSync(join(folder, name), bytes);
  return folder;
}

/**
 * How one of the hosts misbehaves for a path: false lets it answer as it should.
 * @typedef {(path: string, request: Request, response: Response) => boolean} Misbehaviour
 */

/** The hosts of published models, and what was asked of them. */
export class Hosts {
  /** @type {Map<string, Buffer>} */
  #files = new Map();
  /** @type {object[]} */
  records = [];
  /** @type {Record<string, object[]>} */
  registry = {};
  /** What was asked for: paths, with the first byte where it is not the file's. @type {string[]} */
  requests = [];
  /** @type {Misbehaviour} */
  misbehave = () => false;
  /** Set once a server is there. */
  origin = "";

  /**
   * @param {string} source
   * @param {string} target
   * @param {Part[]} parts
   * @param {{version?: string, architecture?: string, inRegistry?: boolean}} [options]
   */
  publish(source, target, parts, { version = "3.0", architecture = "tiny", inRegistry = true } = {}) {
    /** @type {Record<string, object>} */
    const files = {};
    for (const { name, fileType, field, bytes } of parts) {
      const packed = zstdFrame(bytes);
      const location = `attachments/${source}${target}-${version}/${name}.zst`;
      this.#files.set(`/${location}`, packed);
      const attachment = {
        ...{ hash: sha256(packed), size: packed.length, filename: `${name}.zst` },
        ...{ location, mimetype: "application/zstd" },
      };
      const languages = { sourceLanguage: source, targetLanguage: target };
      const content = { decompressedHash: sha256(bytes), decompressedSize: bytes.length };
      this.records.push({ name, fileType, version, architecture, ...languages, ...content, attachment });
      const path = `registry/${source}-${target}/${name}.gz`;
      this.#files.set(`/${path}`, gzipSync(bytes, { level: 1 }));
      const weights = { uncompressedHash: sha256(bytes), uncompressedSize: bytes.length };
      files[field] = { path, ...(fileType === "model" ? weights : {}) };
    }
    if (!inRegistry) return;
    const entry = { sourceLanguage: source, targetLanguage: target, architecture, releaseStatus: "Release", files };
    this.registry[`${source}-${target}`] = [entry];
  }

  /**
   * Answers a request if it is one for these hosts.
   * @param {Request} request
   * @param {Response} response
   */
  intercept = (request, response) => {
    const path = request.url ?? "";
    const isList = path === RECORDS || path === REGISTRY;
    const file = this.#files.get(path);
    if (!isList && !file) return false;
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    this.requests.push(start > 0 ? `${path} from ${start}` : path);
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    if (this.misbehave(path, request, response)) return true;
    if (file) return this.send(file, start, response);
    const list =
      path === RECORDS ? { data: this.records } : { generated: "", baseUrl: this.origin, models: this.registry };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(list));
    return true;
  };

  /** @param {Buffer} file @param {number} start @param {Response} response @param {number} [upTo] breaks the connection there */
  send(file, start, response, upTo = Infinity) {
    if (start > 0) {
      response.setHeader("Content-Range", `bytes ${start}-${file.length - 1}/${file.length}`);
      response.statusCode = 206;
    }
    response.setHeader("Content-Length", file.length - start);
    const end = Math.min(upTo, file.length);
    response.write(file.subarray(start, Math.max(start, end)), () => {
      // A browser drops what a page has not read yet when the connection breaks: leave the page time to read it.
      if (end < file.length) setTimeout(() => response.socket?.destroy(), 800);
      else response.end();
    });
    return true;
  }

  /** A file's bytes as they are served. @param {string} path */
  file(path) {
    const file = this.#files.get(path);
    if (!file) throw new Error(`${path} is not published`);
    return file;
  }

  /** The paths of files, not lists, that were asked for since the last call. */
  takeFileRequests() {
    const files = this.requests.filter((path) => !path.startsWith(RECORDS) && !path.startsWith(REGISTRY));
    this.requests = [];
    return files;
  }
}
