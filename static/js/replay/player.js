/**
 * Plays games back: start board, then step by step, by buttons, keys, a slider, the list of moves or the address.
 * What carries `data-replay` in the page is filled and listened to here; without scripts the list of moves stands.
 */

import { Motion } from "../play/motion.js";
import { number, texts } from "../play/texts.js";
import { placeOf, placeOfKey, waitBefore } from "./document.js";
import { part } from "./side.js";

export class Player {
  #root;
  #sides;
  #leading;
  #motion;
  #at = 0;
  #isPlaying = false;
  /** Rises with everything that is asked for: whoever waits or draws for an older wish stops. */
  #wish = 0;
  /** @type {(at: number) => void} */
  #onPlace;

  /**
   * @param {HTMLElement} root
   * @param {import("./side.js").Side[]} sides games that step together, one or more
   * @param {(at: number) => void} [onPlace] called with every place that is shown
   */
  constructor(root, sides, onPlace = () => undefined) {
    this.#root = root;
    this.#sides = sides;
    this.#onPlace = onPlace;
    // The longest game has every place that there is.
    this.#leading = sides.reduce((longest, side) => (side.length > longest.length ? side : longest));
    const [motion, note] = [this.#input("motion"), this.#part("motion-note")];
    this.#motion = new Motion(motion, note, texts.motionAsked, () => this.#skip());
    this.#listen();
  }

  /** Shows the step that the address names, or the beginning. */
  start() {
    this.#part("table").hidden = false;
    this.#slider.max = String(this.#length);
    this.#show(placeOf(this.#leading.replay, location.hash) ?? 0);
  }

  get #length() {
    return this.#leading.length;
  }

  get #slider() {
    return this.#input("slider");
  }

  get #speed() {
    const choice = this.#part("speed");
    return choice instanceof HTMLSelectElement ? Number(choice.value) : 1;
  }

  #listen() {
    const length = this.#length;
    this.#part("first").addEventListener("click", () => this.go(0));
    this.#part("back").addEventListener("click", () => this.go(Math.max(this.#at - 1, 0)));
    this.#part("next").addEventListener("click", () => this.go(Math.min(this.#at + 1, length)));
    this.#part("last").addEventListener("click", () => this.go(length));
    this.#part("play").addEventListener("click", () => (this.#isPlaying ? this.#pause() : void this.#play()));
    this.#slider.addEventListener("input", () => this.go(Number(this.#slider.value), false));
    this.#input("legal").addEventListener("change", () => this.#showLegal());
    this.#part("player").addEventListener("keydown", (event) => this.#onKey(event));
    this.#part("list").addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("hashchange", () => {
      const place = placeOf(this.#leading.replay, location.hash);
      if (place !== null) this.go(place, false);
    });
  }

  /**
   * Pauses, then shows the board after so many steps; the next one is drawn on its way.
   * @param {number} at @param {boolean} [isDrawn]
   */
  go(at, isDrawn = true) {
    this.#pause();
    if (isDrawn && at === this.#at + 1) void this.#draw(at);
    else this.#show(at);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    const place = placeOfKey(event.key, this.#at, this.#length);
    if (place === null) return;
    event.preventDefault();
    this.go(place);
  }

  async #play() {
    if (this.#at === this.#length) this.#show(0);
    this.#setPlaying(true);
    const wish = ++this.#wish;
    while (this.#at < this.#length) {
      await pause(this.#waitBefore(this.#at + 1));
      if (wish !== this.#wish) return;
      await this.#draw(this.#at + 1, wish);
      if (wish !== this.#wish) return;
    }
    this.#setPlaying(false);
  }

  /** How long to wait before a step: as the slower one thought. @param {number} at */
  #waitBefore(at) {
    const steps = this.#sides.map((side) => side.stepTo(at)).filter((step) => step !== null);
    return Math.max(...steps.map((step) => waitBefore(step, this.#speed)));
  }

  #skip() {
    for (const side of this.#sides) side.skip();
  }

  #pause() {
    this.#wish += 1;
    this.#skip();
    this.#setPlaying(false);
  }

  /** @param {boolean} isPlaying */
  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying;
    const button = this.#part("play");
    button.dataset.state = isPlaying ? "playing" : "paused";
    button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    // While it plays by itself, a screen reader is not told of every step.
    for (const say of this.#root.querySelectorAll('[data-replay="say"]')) {
      say.setAttribute("aria-live", isPlaying ? "off" : "polite");
    }
  }

  /**
   * Draws the step that leads to `at`, then shows it.
   * @param {number} at @param {number} [wish]
   */
  async #draw(at, wish = this.#wish) {
    this.#tell(at);
    await Promise.all(this.#sides.map((side) => side.draw(at, this.#speed, this.#motion.isFull)));
    if (wish === this.#wish) this.#show(at);
  }

  /** @param {number} at */
  #show(at) {
    this.#tell(at);
    for (const side of this.#sides) side.show(at, this.#input("legal").checked);
  }

  /** Says in words and numbers where the replay is. @param {number} at */
  #tell(at) {
    this.#at = at;
    this.#part("place").textContent = `${number(at)} of ${number(this.#length)}`;
    this.#slider.value = String(at);
    const words = this.#sides.map((side) => side.wordsAt(at)).join(" ");
    this.#slider.setAttribute("aria-valuetext", `Step ${at} of ${this.#length}. ${words}`);
    for (const name of ["first", "back"]) this.#disable(name, at === 0);
    for (const name of ["next", "last"]) this.#disable(name, at === this.#length);
    this.#showRow(this.#leading.stepTo(at)?.anchor ?? "");
    this.#onPlace(at);
  }

  /** A button that ends stays where it is and keeps the focus. @param {string} name @param {boolean} isEnd */
  #disable(name, isEnd) {
    this.#part(name).setAttribute("aria-disabled", String(isEnd));
  }

  /** @param {string} anchor */
  #showRow(anchor) {
    const list = this.#part("list");
    for (const row of list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    const row = anchor ? document.getElementById(anchor) : null;
    if (!row) {
      list.scrollTop = 0;
      return;
    }
    row.setAttribute("aria-current", "step");
    // Only the list scrolls, never the page under the reader's hands.
    const top = row.offsetTop - list.clientHeight / 2;
    list.scrollTo({ top, behavior: this.#motion.isFull ? "smooth" : "auto" });
  }

  #showLegal() {
    for (const side of this.#sides) side.showLegal(this.#input("legal").checked);
  }

  /** @param {string} name */
  #part(name) {
    return part(this.#root, name);
  }

  /** @param {string} name */
  #input(name) {
    return /** @type {HTMLInputElement} */ (this.#part(name));
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
