/**
 * The buttons that copy: the translation, and a link to the text.
 */
import { formatAddress } from "./address.js";
import { announce } from "./announcement.js";

/** @typedef {import("./address.js").Shared} Shared */

/** How long a button tells what came of it. */
const TOLD_MS = 2500;

/** Longer texts are left out of links: servers and chat programs cut them off. */
const LONGEST_LINKED = 4000;

/** The words on a button, which tell for a moment what came of it. */
class Label {
  #label;
  #usual;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #told;

  /** @param {HTMLElement} label */
  constructor(label) {
    this.#label = label;
    this.#usual = label.textContent;
  }

  /** @param {string} outcome */
  tell(outcome) {
    this.#label.textContent = outcome;
    announce(outcome);
    clearTimeout(this.#told);
    this.#told = setTimeout(() => (this.#label.textContent = this.#usual), TOLD_MS);
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} label
 * @param {HTMLElement} translation
 * @param {() => string} text
 * @returns {() => Promise<void>} does what the button does
 */
export function offerCopy(button, label, translation, text) {
  const outcome = new Label(label);
  const copy = async () => {
    if (button.disabled) return;
    try {
      await navigator.clipboard.writeText(text());
      outcome.tell("Copied");
    } catch {
      // No permission, or not a secure page: select it, so that the reader can copy it.
      const range = document.createRange();
      range.selectNodeContents(translation);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      outcome.tell("Selected: press Ctrl+C");
    }
  };
  button.addEventListener("click", copy);
  return copy;
}

/**
 * Copies a link to a text in its languages. Only then is the text in the address, and so in the browser's history.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} label
 * @param {() => Shared} shared
 */
export function offerLink(button, label, shared) {
  const outcome = new Label(label);
  button.addEventListener("click", async () => {
    const { source, target, text } = shared();
    const linked = text.length <= LONGEST_LINKED ? text : "";
    const url = new URL(formatAddress({ source, target, text: linked }), location.href);
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url.href);
      outcome.tell(text === linked ? "Copied" : "Copied, without the text (too long)");
    } catch {
      outcome.tell("Could not copy: the link is in the address bar");
    }
  });
}
