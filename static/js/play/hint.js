/**
 * A move that is shown to who waits for long: the server names its cells with each board, and this waits until nobody has
 * touched the board for as long as the study says. Whatever is done on the board begins the wait anew.
 *
 * @typedef {import("./types.js").HintMessage} HintMessage
 */

import { Timers } from "./clock.js";

export class Hint {
  #timers;
  #show;
  #hide;
  #after = 0;
  /** @type {HintMessage | null} */
  #offered = null;
  #isOpen = false;
  #isAway = false;
  #isShown = false;

  /**
   * @param {import("./clock.js").Clock} clock
   * @param {{show: (hint: HintMessage) => void, hide: () => void}} page
   */
  constructor(clock, { show, hide }) {
    this.#timers = new Timers(clock);
    this.#show = show;
    this.#hide = hide;
  }

  /** A new board: what was offered for the last one is forgotten. @param {number | null} seconds null: no hints */
  begin(seconds) {
    this.#after = (seconds ?? 0) * 1000;
    this.#offered = null;
    this.#clear();
  }

  /** @param {HintMessage} hint of the board that stands now */
  offer(hint) {
    this.#offered = hint;
    this.touched();
  }

  /** @param {boolean} isOpen whether a move may be made */
  setOpen(isOpen) {
    this.#isOpen = isOpen;
    if (isOpen) this.touched();
    else this.#clear();
  }

  /** @param {boolean} isAway the page is hidden: nobody waits at it */
  setAway(isAway) {
    this.#isAway = isAway;
    this.touched();
  }

  /** Something was done: the wait begins anew. A hint that is shown stays until a move is made. */
  touched() {
    if (this.#isShown) return;
    this.#timers.clear("wait");
    if (!this.#after || !this.#offered || !this.#isOpen || this.#isAway) return;
    this.#timers.set("wait", this.#after, () => {
      if (!this.#offered) return;
      this.#isShown = true;
      this.#show(this.#offered);
    });
  }

  #clear() {
    this.#timers.clear("wait");
    if (this.#isShown) this.#hide();
    this.#isShown = false;
  }
}
