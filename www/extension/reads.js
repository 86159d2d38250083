/**
 * The list of languages that the reader reads, the one to translate into first.
 */
import { isRead, languageName, shortTag } from "./language.js";
import { locale, message } from "./messages.js";

/** Languages that there are models for, or may be; any other that the browser is set to is offered too. */
const LANGUAGES =
  "ar az be bg bn bs ca cs da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mk ml mr ms mt nb nl nn pl pt " +
  "ro ru sk sl sq sr sv ta te th tr uk ur uz vi zh zh-Hant";

/** The languages that the browser is set to, each once. */
export function presetReads() {
  /** @type {string[]} */
  const reads = [];
  for (const tag of navigator.languages) {
    const short = shortTag(tag);
    if (!isRead(short, reads)) reads.push(short);
  }
  return reads.length > 0 ? reads : ["en"];
}

/** @param {string} label @param {string} text @param {() => void} action */
function button(label, text, action) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title: label });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

/**
 * Shows the list in an element, to be changed there.
 * @param {HTMLElement} box
 * @param {string[]} reads at least one
 * @param {(reads: string[]) => void} onchange
 */
export function offerReads(box, reads, onchange) {
  const list = document.createElement("ol");
  list.className = "reads";
  list.setAttribute("aria-label", message("readsTitle"));
  const label = document.createElement("label");
  const select = Object.assign(document.createElement("select"), { id: "reads-other" });
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  /** @param {string[]} changed @param {() => Element | null | undefined} focus what has the focus then */
  const change = (changed, focus) => {
    reads = changed;
    show();
    const next = focus() ?? select;
    if (next instanceof HTMLElement) next.focus();
    onchange(reads);
  };
  const add = button(message("add"), message("add"), () => {
    if (select.value !== "") change([...reads, select.value], () => select);
  });
  add.removeAttribute("title");
  const row = (/** @type {string} */ tag, /** @type {number} */ place) => {
    const name = languageName(tag);
    const line = document.createElement("li");
    const text = Object.assign(document.createElement("span"), { textContent: name });
    line.append(text);
    const others = reads.filter((other) => other !== tag);
    if (place > 0)
      line.append(
        button(message("readFirst", name), message("first"), () =>
          change([tag, ...others], () => list.querySelector("li button")),
        ),
      );
    if (reads.length > 1)
      line.append(
        button(message("readNot", name), "×", () =>
          change(others, () => list.children[Math.min(place, others.length - 1)]?.querySelector("button:last-child")),
        ),
      );
    return line;
  };
  const show = () => {
    list.replaceChildren(...reads.map(row));
    const collator = new Intl.Collator(locale());
    const others = [...new Set([...presetReads(), ...LANGUAGES.split(" ")])]
      .filter((tag) => !isRead(tag, reads) || (/^zh/.test(tag) && !reads.includes(tag)))
      .sort((a, b) => collator.compare(languageName(a), languageName(b)));
    select.replaceChildren(
      new Option(message("chooseLanguage"), ""),
      ...others.map((tag) => new Option(languageName(tag), tag)),
    );
    said.textContent = message("readsSaid", languageName(reads[0] ?? ""));
  };
  label.append(message("readsAnother"), " ", select);
  const more = document.createElement("p");
  more.append(label, " ", add);
  show();
  box.replaceChildren(list, more, said);
}
