/**
 * A bar that shows how far something has come, with buttons that act on what it shows.
 */
import { hide } from "./parts.js";

/**
 * @typedef {object} BarParts
 * @property {HTMLElement} box
 * @property {HTMLProgressElement} bar
 * @property {HTMLElement} text
 * @property {HTMLButtonElement} [pause]
 * @property {HTMLButtonElement} [cancel]
 * @property {HTMLElement} next what gets the focus if a button goes that has it
 */

/**
 * What the buttons do; one that has nothing to do is hidden.
 * @typedef {{cancel?: () => void, pause?: () => void, resume?: () => void}} Actions
 */

/** @typedef {{text: string, share?: number, isPaused: boolean, actions: Actions}} Shown */

/**
 * Something that takes time.
 * @typedef {object} Job
 * @property {(text: string, share?: number) => void} show `share`: how much of it is done; as it was unless given
 * @property {() => void} end
 */

export class Bar {
  #ui;
  /** What is under way; the latest, which comes last, is shown. @type {Shown[]} */
  #jobs = [];

  /** @param {BarParts} ui */
  constructor(ui) {
    this.#ui = ui;
    ui.cancel?.addEventListener("click", () => this.#jobs.at(-1)?.actions.cancel?.());
    ui.pause?.addEventListener("click", () => {
      const job = this.#jobs.at(-1);
      if (!job) return;
      job.isPaused = !job.isPaused;
      if (job.isPaused) job.actions.pause?.();
      else job.actions.resume?.();
      this.#draw();
    });
  }

  /**
   * Shows something until it ends; how much of it is done is not known yet.
   * @param {string} text
   * @param {Actions} [actions]
   * @returns {Job}
   */
  begin(text, actions = {}) {
    /** @type {Shown} */
    const job = { text, isPaused: false, actions };
    this.#jobs.push(job);
    this.#draw();
    return {
      show: (text, share) => {
        job.text = text;
        job.share = share ?? job.share;
        this.#draw();
      },
      end: () => {
        this.#jobs = this.#jobs.filter((other) => other !== job);
        this.#draw();
      },
    };
  }

  #draw() {
    const { box, bar, text, pause, cancel, next } = this.#ui;
    const job = this.#jobs.at(-1);
    if (!job) return hide(box, next);
    box.hidden = false;
    if (text.textContent !== job.text) text.textContent = job.text;
    if (job.share === undefined) bar.removeAttribute("value");
    else bar.value = job.share;
    if (pause) {
      pause.textContent = job.isPaused ? "Continue" : "Pause";
      if (job.actions.pause) pause.hidden = false;
      else hide(pause, next);
    }
    if (cancel) {
      if (job.actions.cancel) cancel.hidden = false;
      else hide(cancel, next);
    }
  }
}
