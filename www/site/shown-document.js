/**
 * A document that is shown in a frame: it fetches nothing, and nothing in it leads the frame elsewhere.
 */

/** Its own styles and what it carries with it are allowed; whatever has an address is not, not even on this site. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:";

/**
 * What the frame loads: an empty page under the policy. The document is parsed on its own and comes into it only then, for browsers ask for
 * some of what they find ahead while they parse a page, before its policy applies.
 */
const EMPTY = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;

/** What documents in frames have as their address. */
const ADDRESS = "about:srcdoc";

/**
 * The link that an event is on.
 * @param {Event} event
 * @returns {Element | undefined}
 */
function linkOf(event) {
  const elements = /** @type {Element[]} */ (event.composedPath().filter((target) => "localName" in target));
  const hasAddress = (/** @type {Element} */ { attributes }) =>
    Array.from(attributes).some(({ localName }) => localName === "href");
  return elements.find((element) => /^(a|area)$/.test(element.localName) && hasAddress(element));
}

export class ShownDocument {
  #frame;
  #on;
  #content = "";

  /**
   * @param {HTMLIFrameElement} frame
   * @param {{load: (page: Document) => void, link: () => void}} on `load`: the document is there; `link`: the reader has tried a link
   *   that leads out of the document
   */
  constructor(frame, on) {
    this.#frame = frame;
    this.#on = on;
  }

  /** The document, if one is shown. */
  get page() {
    return this.#frame.hidden ? null : this.#frame.contentDocument;
  }

  /** @param {string} content HTML */
  show(content) {
    this.#content = content;
    this.#frame.hidden = false;
    this.#frame.onload = () => this.#loaded();
    this.#frame.srcdoc = EMPTY;
  }

  close() {
    this.#frame.hidden = true;
    this.#frame.onload = null;
    this.#frame.removeAttribute("srcdoc");
  }

  /** The document as it is now. @returns {string | undefined} */
  get html() {
    const copy = /** @type {HTMLElement | undefined} */ (this.page?.documentElement.cloneNode(true));
    // What the translation shows beside the page is not part of it.
    for (const child of [...(copy?.children ?? [])])
      if (!/^(head|body|frameset)$/.test(child.localName)) child.remove();
    return copy && `<!doctype html>\n${copy.outerHTML}\n`;
  }

  #loaded() {
    const { page } = this;
    // What the frame shows between two documents.
    if (page?.URL === "about:blank") return;
    if (!page?.URL.startsWith(ADDRESS)) {
      // Something has led the frame elsewhere after all.
      this.#frame.srcdoc = EMPTY;
      return;
    }
    const { documentElement } = new DOMParser().parseFromString(this.#content, "text/html");
    page.documentElement.replaceWith(page.adoptNode(documentElement));
    for (const type of ["click", "auxclick"]) page.addEventListener(type, (event) => this.#follow(event), true);
    this.#on.load(page);
  }

  /** @param {Event} event */
  #follow(event) {
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    const address = link.getAttribute("href") ?? "";
    const view = this.#frame.contentWindow;
    // The browser itself would look for the place on the site's own page, from which a document in a frame has its base address.
    if (address.startsWith("#") && view) view.location.hash = address;
    else this.#on.link();
  }
}
