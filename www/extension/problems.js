/**
 * What can go wrong, in a form that parts of the extension can send to each other and say in the reader's language.
 */
import { languageName } from "./language.js";
import { message } from "./messages.js";

/** @typedef {import("./protocol.js").ProblemParts} ProblemParts */

/** An error that the reader is told of with a message of its own. */
export class Problem extends Error {
  /** @param {ProblemParts["kind"]} kind @param {...string} parts */
  constructor(kind, ...parts) {
    super(`${kind} ${parts.join(" ")}`.trim());
    this.kind = kind;
    this.parts = parts;
  }
}

/** @param {unknown} error @returns {ProblemParts} */
export function problemOf(error) {
  if (error instanceof Problem) return { kind: error.kind, parts: error.parts };
  return { kind: "failed", parts: [error instanceof Error ? error.message : String(error)] };
}

/**
 * Says what went wrong in the reader's language.
 * @param {ProblemParts} problem
 * @param {string} [failed] the message about what failed
 */
export function sayProblem({ kind, parts }, failed = "translationFailed") {
  if (kind === "noModel") return message("noModelAnywhere", ...parts.map(languageName));
  return message(kind === "failed" ? failed : kind, ...parts);
}
