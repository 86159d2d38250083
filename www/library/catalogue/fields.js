/**
 * Reads fields of data from a server, and says what is wrong with one.
 */
import { stringify } from "../natives.js";
import { canonicalTag } from "./languages.js";

/** No file of a model is larger when unpacked. */
const LARGEST_FILE = 2 ** 31;

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string} where @param {string} expected @param {unknown} found */
export function wrong(where, expected, found) {
  const told = stringify(found) ?? String(found);
  return new TypeError(`${where}: expected ${expected}, found ${told.length > 60 ? `${told.slice(0, 57)}…` : told}`);
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {string}
 */
export function requireText(value, where) {
  if (typeof value !== "string" || value === "") throw wrong(where, "a text", value);
  return value;
}

/** @param {unknown} value @param {string} where @returns {number} */
export function requireSize(value, where) {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value <= 0 || value > LARGEST_FILE) {
    throw wrong(where, "a number of bytes", value);
  }
  return value;
}

/** @param {unknown} value @param {string} where @returns {string} */
export function requireSha256(value, where) {
  const sha256 = requireText(value, where).toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw wrong(where, "64 hexadecimal digits", value);
  return sha256;
}

/** A language tag as lists spell it: `zh_hans` is `zh-Hans`. @param {unknown} value @param {string} where @returns {string} */
export function requireTag(value, where) {
  const text = requireText(value, where).replaceAll("_", "-");
  try {
    return canonicalTag(text);
  } catch {
    throw wrong(where, "a language tag", value);
  }
}

/**
 * An address as it stands in a list.
 * @param {unknown} value
 * @param {string} where
 * @param {string} base
 * @returns {string}
 */
export function requireAddress(value, where, base) {
  const text = requireText(value, where);
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (!url) throw wrong(where, "an address", value);
  if (url.protocol !== "https:" && url.protocol !== "http:" && url.protocol !== new URL(base).protocol) {
    throw new TypeError(`${where}: ${url.protocol} is no protocol for downloads`);
  }
  return url.href;
}

/** The last part of an address's path, without the ending that says how the file is compressed. @param {string} url */
export function unpackedName(url) {
  const name = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(name).replace(/\.(gz|zst)$/, "");
  } catch {
    return name;
  }
}

/**
 * A version: its first two numbers, and what follows them, as in `1.0a2`. A missing second number is 0.
 * @typedef {{major: number, minor: number, suffix: string}} Version
 */

/** @param {unknown} value @param {string} where @returns {Version} */
export function requireVersion(value, where) {
  const parts = /^(\d{1,9})(?:\.(\d{1,9}))?([0-9A-Za-z.-]{0,16})$/.exec(requireText(value, where));
  if (!parts) throw wrong(where, "a version such as 3.0", value);
  const [, major, minor = "0", suffix = ""] = parts;
  return { major: Number(major), minor: Number(minor), suffix: suffix.startsWith(".") ? "" : suffix };
}

/** Positive if `a` is newer. A release is newer than what came before it. @param {Version} a @param {Version} b */
export function compareVersions(a, b) {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    Number(a.suffix === "") - Number(b.suffix === "") ||
    (a.suffix < b.suffix ? -1 : Number(a.suffix > b.suffix))
  );
}

/** The highest major version of Mozilla's models whose files are read. */
export const KNOWN_MAJOR = 3;

/** @param {string} name @param {Version} version */
export function newerNote(name, { major, minor, suffix }) {
  return (
    `${name}: version ${major}.${minor}${suffix} needs a newer version of this program, ` +
    `which knows versions up to ${KNOWN_MAJOR}`
  );
}

/** The name of a model for which a list has none. @param {string} source @param {string} target @param {string} architecture */
export function modelName(source, target, architecture) {
  return `${source}-${target}${architecture === "" ? "" : `.${architecture}`}`;
}
