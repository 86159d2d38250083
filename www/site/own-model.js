/**
 * Models of the reader's own: files dropped on the page or chosen, and the dialog that asks what they are.
 */
import { convertModel } from "../library/wanderwort.js";

/** @typedef {{files: File[], source: string, target: string}} OwnModel */

/**
 * What the page does while a package is made.
 * @typedef {object} Saving
 * @property {AbortSignal} signal aborted if the reader does not want the package any more
 * @property {(share: number) => void} progress `share`: how much of the package is done
 * @property {() => void} end
 */

/**
 * The files among what was dropped, including those in folders.
 * @param {DataTransfer} transfer
 * @returns {Promise<File[]>}
 */
async function droppedFiles(transfer) {
  // The list of items is emptied as soon as the event is over, so all entries are taken before anything is awaited.
  const found = Array.from(transfer.items, async (item) => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry) return entryFiles(entry);
    return file ? [file] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<File[]>} for a folder, the files directly in it
 */
async function entryFiles(entry) {
  if (entry.isFile) {
    const file = /** @type {FileSystemFileEntry} */ (entry);
    return [await new Promise((resolve, reject) => file.file(resolve, reject))];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {File[]} */
  const files = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return files;
    files.push(...(await Promise.all(some.filter((inner) => inner.isFile).map(entryFiles))).flat());
  }
}

/**
 * The languages that the file names tell, as in `model.ende.bin` and `en-de.tiny.wanderwort`.
 * @param {File[]} files
 * @returns {[source: string, target: string]}
 */
function guessLanguages(files) {
  const names = files.map((file) => file.name).sort((a, b) => Number(/vocab/.test(a)) - Number(/vocab/.test(b)));
  for (const name of names) {
    const match = /(?:^|[.\/])([a-z]{2})-?([a-z]{2})(?=\.)/.exec(name);
    if (match) return [match[1] ?? "", match[2] ?? ""];
  }
  return ["", ""];
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Offers the use of the reader's own models on a page.
 *
 * @param {object} ui
 * @param {HTMLButtonElement} ui.button opens the choice of files
 * @param {HTMLInputElement} ui.input
 * @param {HTMLDialogElement} ui.dialog
 * @param {HTMLElement} ui.list
 * @param {HTMLInputElement} ui.source
 * @param {HTMLInputElement} ui.target
 * @param {{use: (model: OwnModel) => void, saving: (model: OwnModel) => Saving, failed: (error: unknown) => void}} on
 */
export function offerOwnModels(ui, on) {
  /** @type {File[]} */
  let files = [];

  /** @param {File[]} chosen */
  function ask(chosen) {
    if (chosen.length === 0) return;
    files = chosen;
    const [source, target] = guessLanguages(files);
    ui.list.textContent = files.map((file) => `${file.name} (${(file.size / 1e6).toFixed(1)} MB)`).join(", ");
    ui.source.value = source;
    ui.target.value = target;
    ui.dialog.returnValue = "cancel";
    ui.dialog.showModal();
  }

  ui.button.addEventListener("click", () => ui.input.click());
  ui.input.addEventListener("change", () => {
    ask([...(ui.input.files ?? [])]);
    ui.input.value = "";
  });
  ui.dialog.addEventListener("close", async () => {
    // Chromium gives the focus back to a text box without its caret; what is typed there would be lost.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    ui.button.focus();
    const model = { files, source: ui.source.value.trim(), target: ui.target.value.trim() };
    if (ui.dialog.returnValue === "use") on.use(model);
    if (ui.dialog.returnValue !== "save") return;
    const { signal, progress, end } = on.saving(model);
    try {
      const options = {
        sourceLanguage: model.source,
        targetLanguage: model.target,
        signal,
        progress: (/** @type {number} */ done, /** @type {number} */ total) => progress(done / total),
      };
      save(await convertModel(model.files, options), `${model.source}-${model.target}.wanderwort`);
    } catch (error) {
      if (!signal.aborted) on.failed(error);
    } finally {
      end();
    }
  });

  /** @param {DragEvent} event */
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  addEventListener("drop", async (event) => {
    document.body.classList.remove("dropping");
    if (!carriesFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    try {
      ask(await droppedFiles(event.dataTransfer));
    } catch (error) {
      on.failed(error);
    }
  });
}
