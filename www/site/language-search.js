/**
 * A field above a long menu of languages, which finds one by its name in the reader's language or in its own, or by its tag.
 */

/** A menu of at least this many languages has a field. */
const MANY = 12;

/** @type {WeakMap<HTMLSelectElement, LanguageSearch>} */
const searches = new WeakMap();

/** Without case and accents: "francais" finds "français". @param {string} name */
const folded = (name) => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** What the language's own speakers call it. @param {string} tag */
const ownName = (tag) => new Intl.DisplayNames([tag, "en"], { type: "language" }).of(tag) ?? tag;

class LanguageSearch {
  #select;
  #field = document.createElement("input");
  #list = document.createElement("datalist");
  /** @type {{tag: string, names: string[]}[]} */
  #languages = [];

  /** @param {HTMLSelectElement} select its `data-search` names the field */
  constructor(select) {
    this.#select = select;
    this.#list.id = `${select.id}-names`;
    Object.assign(this.#field, { type: "search", id: `${select.id}-search`, className: "search", autocomplete: "off" });
    this.#field.placeholder = "Search";
    this.#field.setAttribute("list", this.#list.id);
    this.#field.setAttribute("aria-label", select.dataset.search ?? "Search languages");
    this.#field.addEventListener("input", (event) => {
      this.#field.setCustomValidity("");
      // A suggestion was chosen, not typed; browsers that do not say how a text was entered send no `InputEvent` then.
      const how = event instanceof InputEvent ? event.inputType : "insertReplacementText";
      if (how === "insertReplacementText") this.#choose(this.#found);
    });
    this.#field.addEventListener("change", () => {
      if (this.#field.value.trim() === "") return;
      if (this.#found === undefined) {
        this.#field.setCustomValidity("No language matches this name, or more than one does.");
        this.#field.reportValidity();
      }
      this.#choose(this.#found);
    });
    select.before(this.#field, this.#list);
  }

  /** @param {{tag: string, name: string}[]} languages */
  offer(languages) {
    this.#languages = languages.map(({ tag, name }) => ({ tag, names: [name, ownName(tag), tag].map(folded) }));
    this.#field.hidden = languages.length < MANY;
    this.#list.replaceChildren(...languages.map(({ tag, name }) => new Option(ownName(tag), name)));
  }

  /** The language that has the typed name, or the only one whose name contains it. */
  get #found() {
    const wanted = folded(this.#field.value.trim());
    const whole = this.#languages.find(({ names }) => names.includes(wanted));
    const some = this.#languages.filter(({ names }) => names.some((name) => name.includes(wanted)));
    return whole ?? (some.length === 1 ? some[0] : undefined);
  }

  /** @param {{tag: string} | undefined} language */
  #choose(language) {
    if (!language) return;
    this.#field.value = "";
    this.#select.value = language.tag;
    this.#select.dispatchEvent(new Event("change", { bubbles: true }));
    this.#select.focus();
  }
}

/**
 * Gives a menu of languages a field to search it, if it is long.
 * @param {HTMLSelectElement} select
 * @param {{tag: string, name: string}[]} languages what it offers
 */
export function offerSearch(select, languages) {
  let search = searches.get(select);
  if (!search) {
    if (languages.length < MANY) return;
    search = new LanguageSearch(select);
    searches.set(select, search);
  }
  search.offer(languages);
}
