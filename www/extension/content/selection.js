/**
 * Shows the translation of what the reader has selected, beside it.
 */

/** @typedef {import("./remote.js").RemoteTranslator} RemoteTranslator */

/** @param {RemoteTranslator} translator */
export async function showSelection(translator) {
  const selection = window.getSelection();
  const text = selection?.toString().trim() ?? "";
  if (!selection || selection.rangeCount === 0 || text === "") return;
  const box = selection.getRangeAt(0).getBoundingClientRect();
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  const output = document.createElement("p");
  host.className = "notranslate";
  host.setAttribute("translate", "no");
  host.setAttribute("role", "status");
  style(host, {
    ...{ all: "initial", position: "fixed", "z-index": "2147483647", padding: "8px 12px" },
    ...{
      "max-width": "min(34em, calc(100vw - 16px))",
      "max-height": "50vh",
      overflow: "auto",
      "box-sizing": "border-box",
    },
    ...{ font: "15px/1.45 system-ui, sans-serif", "border-radius": "8px", "color-scheme": "light dark" },
    ...{ background: "Canvas", color: "CanvasText", border: "1px solid GrayText" },
    ...{ "box-shadow": "0 4px 16px rgb(0 0 0 / 0.25)", "white-space": "pre-wrap" },
    left: `${Math.max(8, Math.min(box.left, window.innerWidth - 360))}px`,
    top: `${Math.max(8, Math.min(box.bottom + 6, window.innerHeight - 80))}px`,
  });
  style(output, { margin: "0", "overflow-wrap": "anywhere" });
  output.lang = translator.targetLanguage;
  output.dir = "auto";
  output.textContent = "…";
  root.append(output);
  document.documentElement.append(host);
  const close = (/** @type {Event} */ event) => {
    if (event instanceof KeyboardEvent ? event.key !== "Escape" : event.composedPath().includes(host)) return;
    host.remove();
    translator.close();
    for (const type of ["pointerdown", "keydown"]) document.removeEventListener(type, close, true);
  };
  for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, close, true);
  try {
    output.textContent = (await translator.translateBlock(text, new Uint32Array(), 3).result).text;
  } catch (error) {
    output.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** @param {HTMLElement} element @param {Record<string, string>} properties */
function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, "important");
}
