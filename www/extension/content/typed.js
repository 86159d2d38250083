/**
 * Translates what the reader has typed into a field, in the field: what is selected in it, or else all of it.
 */
import { isDesigned, isEditable } from "../../page/dom.js";
import { locale, message } from "../messages.js";
import { problemOf, sayProblem } from "../problems.js";
import { showNotice } from "./notice.js";
import { RemoteTranslator } from "./remote.js";
import { Retyping, selectionOf } from "./retype.js";
import { paragraphsIn } from "./written.js";

/** The element with the focus, including in shadow trees. */
function focused() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

/** Kinds of `<input>` that hold words. */
const WRITTEN = new Set(["", "text", "search"]);

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** @param {Element} element @returns {element is Field} */
const isField = (element) =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && WRITTEN.has((element.getAttribute("type") ?? "").toLowerCase()));

/** What is to be translated of a field. @param {Field} field */
function partOfField({ value, selectionStart, selectionEnd }) {
  const [start, end] = [selectionStart ?? 0, selectionEnd ?? 0];
  return start < end ? { start, end } : { start: 0, end: value.length };
}

/** What is to be translated of an editor. @param {Element} editor @returns {Range} */
function partOfEditor(editor) {
  const selection = selectionOf(editor);
  const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  if (range && !range.collapsed && editor.contains(range.commonAncestorContainer)) return range.cloneRange();
  return allOf(editor);
}

/** @param {Element} editor */
function allOf(editor) {
  const range = document.createRange();
  range.selectNodeContents(editor);
  return range;
}

/**
 * What the reader has written in an element, and what of it is to be translated; null if the reader cannot write there.
 * @param {Element | null} element
 */
function textsIn(element) {
  if (!element) return null;
  if (isField(element)) {
    const { start, end } = partOfField(element);
    const { value, readOnly, disabled } = element;
    return readOnly || disabled ? null : { text: value.slice(start, end), whole: value };
  }
  if (!isEditable(element) && !isDesigned(document)) return null;
  const [text, whole] = [partOfEditor(element), allOf(element)].map((range) =>
    paragraphsIn(element, range)
      .map((paragraph) => paragraph.text)
      .join("\n"),
  );
  return { text: text ?? "", whole: whole ?? "" };
}

/** What is written in the field with the focus; null if there is no such field. */
export function typed() {
  const texts = textsIn(focused());
  return texts && { ...texts, hasFocus: document.hasFocus() };
}

/** @param {import("../protocol.js").Pair} pair */
export async function translateTyped(pair) {
  const element = focused();
  if (!element || (textsIn(element)?.text ?? "").trim() === "") return;
  const say = (/** @type {string} */ text) => showNotice(element, element.getBoundingClientRect(), locale())(text);
  const translator = new RemoteTranslator(pair);
  try {
    if (isField(element)) await translateField(element, translator);
    else if (!(await translateEditor(element, translator))) say(message("typedKept"));
  } catch (error) {
    say(sayProblem(problemOf(error)));
  } finally {
    translator.close();
  }
}

/** @param {Field} field @param {RemoteTranslator} translator */
async function translateField(field, translator) {
  const { value } = field;
  const { start, end } = partOfField(field);
  const [, before = "", text = "", after = ""] = /^(\s*)([^]*?)(\s*)$/.exec(value.slice(start, end)) ?? [];
  const translation = await translator.translateBlock(text, new Uint32Array(), 3).result;
  // A reader who has typed on meanwhile keeps what is there.
  if (focused() !== field || field.value !== value) return;
  const words = before + translation.text.trim() + after;
  field.setSelectionRange(start, end);
  if (document.execCommand("insertText", false, words)) return;
  const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  const changed = value.slice(0, start) + words + value.slice(end);
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, changed);
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText", data: words }));
}

/**
 * Translates paragraph by paragraph; nothing but words changes.
 * @param {Element} editor
 * @param {RemoteTranslator} translator
 * @returns {Promise<boolean>} whether no paragraph had to stay as it is
 */
async function translateEditor(editor, translator) {
  const before = textsIn(editor)?.whole;
  const paragraphs = paragraphsIn(editor, partOfEditor(editor));
  const translations = await Promise.all(
    paragraphs.map(({ text, tree }) => translator.translateBlock(text, Uint32Array.from(tree), 3).result),
  );
  if (focused() !== editor || textsIn(editor)?.whole !== before) return true;
  const last = [...(paragraphs.at(-1)?.pieces.values() ?? [])].at(-1);
  const behind = last ? last.node.length - last.end : 0;
  let isWhole = true;
  // From the end, so that what comes before stays where it was found.
  for (const [i, paragraph] of [...paragraphs.entries()].reverse()) {
    const translation = translations[i];
    const texts = translation ? paragraph.fit(translation) : null;
    const retyping = new Retyping(editor);
    let isDone = texts !== null;
    for (const [piece, text] of [...(texts ?? [])].reverse())
      isDone &&= await retyping.replace(piece, text, paragraph.isPlain);
    if (!isDone) retyping.undo();
    isWhole &&= isDone;
  }
  if (last?.node.isConnected) selectionOf(editor)?.collapse(last.node, Math.max(0, last.node.length - behind));
  return isWhole;
}
