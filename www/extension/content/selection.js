/**
 * Shows the translation of what the reader has selected, beside it.
 */
import { problemOf, sayProblem } from "../problems.js";
import { showNotice } from "./notice.js";
import { RemoteTranslator } from "./remote.js";

/** @param {import("../protocol.js").Pair} pair */
export async function showSelection(pair) {
  const selection = window.getSelection();
  const text = selection?.toString().trim() ?? "";
  if (!selection || selection.rangeCount === 0 || text === "") return;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: around } = range;
  const element = around instanceof Element ? around : (around.parentElement ?? document.documentElement);
  const translator = new RemoteTranslator(pair);
  const say = showNotice(element, range.getBoundingClientRect(), pair.target, () => translator.close());
  try {
    say((await translator.translateBlock(text, new Uint32Array(), 3).result).text);
  } catch (error) {
    say(sayProblem(problemOf(error)));
  }
}
