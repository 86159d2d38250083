/**
 * Translates what the reader has typed into a field, in the field.
 */

/** @typedef {import("./remote.js").RemoteTranslator} RemoteTranslator */

/** The element with the focus, including in shadow trees. */
function focused() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

/** Kinds of `<input>` that hold words. */
const WRITTEN = new Set(["", "text", "search"]);

/** @param {Element | null} element @returns {element is HTMLInputElement | HTMLTextAreaElement} */
const isField = (element) =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && WRITTEN.has((element.getAttribute("type") ?? "").toLowerCase()));

/** What is typed in the field with the focus; null if there is no such field. */
export function typedText() {
  const element = focused();
  if (isField(element)) return element.readOnly || element.disabled ? null : element.value;
  return element instanceof HTMLElement && element.isContentEditable ? element.innerText : null;
}

/**
 * Replaces what is typed with its translation, as if it were typed: pages that follow their fields notice, and it can be undone.
 * @param {RemoteTranslator} translator
 */
export async function translateTyped(translator) {
  const element = focused();
  const text = typedText();
  if (!element || text === null || text.trim() === "") return;
  const { text: translation } = await translator.translateBlock(text, new Uint32Array(), 3).result;
  // A reader who has typed on meanwhile keeps what is there.
  if (focused() !== element || typedText() !== text) return;
  if (isField(element)) element.select();
  else getSelection()?.selectAllChildren(element);
  if (document.execCommand("insertText", false, translation)) return;
  if (!isField(element)) return;
  const { prototype } = element instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(element, translation);
  element.dispatchEvent(
    new InputEvent("input", { bubbles: true, inputType: "insertReplacementText", data: translation }),
  );
}
