/**
 * Work in small slices, between which the page gets its turn.
 */

/** A frame at 60 Hz has 16 ms; the rest is left to the page. */
const BUDGET_MS = 6;

export class Slices {
  #channel = new MessageChannel();
  #scheduled = false;
  #stopped = false;
  #work;
  #onerror;

  /**
   * @param {(hasTime: () => boolean) => boolean} work works as long as there is time; true if there is more to do
   * @param {(error: unknown) => void} onerror
   */
  constructor(work, onerror) {
    this.#work = work;
    this.#onerror = onerror;
    this.#channel.port1.onmessage = () => this.#slice();
  }

  /** Makes the work run soon. */
  wake() {
    if (this.#scheduled || this.#stopped) return;
    this.#scheduled = true;
    this.#channel.port2.postMessage(null);
  }

  stop() {
    this.#stopped = true;
    this.#channel.port1.close();
  }

  /** Like `wake`, but also where the browser has lost the last call together with a page in its back/forward cache. */
  wakeAnew() {
    this.#scheduled = false;
    this.wake();
  }

  #slice() {
    if (!this.#scheduled) return;
    this.#scheduled = false;
    if (this.#stopped) return;
    const end = performance.now() + BUDGET_MS;
    try {
      if (this.#work(() => performance.now() < end)) this.wake();
    } catch (error) {
      this.#onerror(error);
    }
  }
}
