/**
 * The classes of `@browsermt/bergamot-translator` in Node, Deno and Bun.
 */
import "./node.js";

export * from "../bergamot/bergamot.js";
