/**
 * The time that is left of a round, where it has a limit, and the button for more. Only a picture of the server's clock:
 * when the time is up, the server says so.
 *
 * @typedef {import("./types.js").Limit} Limit
 */

import { part } from "./parts.js";

export class TimeLeft {
  #holder;
  #figure;
  #button;
  #clock;
  #timer = 0;
  #endsAt = 0;
  #warn = 0;

  /**
   * @param {HTMLElement} root
   * @param {import("./clock.js").Clock} clock
   * @param {() => void} wantMore
   */
  constructor(root, clock, wantMore) {
    this.#holder = part(root, "[data-play=time]", HTMLElement);
    this.#figure = part(root, "[data-play=time-left]", HTMLElement);
    this.#button = part(root, "[data-play=more]", HTMLButtonElement);
    this.#clock = clock;
    this.#button.addEventListener("click", wantMore);
  }

  /** @param {Limit | null} limit as the server said it just now */
  show(limit) {
    this.#clock.clearTimeout(this.#timer);
    this.#holder.hidden = limit === null;
    if (limit === null) return;
    this.#endsAt = this.#clock.now() + limit.left_ms;
    this.#warn = limit.warn_ms;
    // Not disabled: that would take the focus away from whoever has just pressed it for the last time.
    this.#button.hidden = limit.more_ms === 0 && this.#button !== document.activeElement;
    this.#button.setAttribute("aria-disabled", String(limit.more_ms === 0));
    this.#tick();
  }

  /** @returns {boolean} whether the warning is due or was */
  get isNear() {
    return this.#endsAt - this.#clock.now() <= this.#warn + 500;
  }

  #tick() {
    const left = Math.max(0, this.#endsAt - this.#clock.now());
    const seconds = Math.round(left / 1000);
    this.#figure.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    this.#holder.dataset.state = this.isNear ? "near" : "";
    if (left > 0) this.#timer = this.#clock.setTimeout(() => this.#tick(), left % 1000 || 1000);
  }
}
