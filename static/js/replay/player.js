/**
 * Plays a game back: start board, then step by step, by buttons, keys, a slider, the list of moves or the address.
 * What carries `data-replay` in the page is filled and listened to here; without scripts the list of moves stands.
 *
 * @typedef {import("./document.js").ReplayDocument} ReplayDocument
 */

import { games } from "../games/index.js";
import { Drawer } from "../play/animate.js";
import { Board } from "../play/board.js";
import { Motion } from "../play/motion.js";
import { number, texts } from "../play/texts.js";
import { cellsOf, paceAt, placeOf, placeOfKey, positionAt, scoreAt, waitBefore } from "./document.js";
import { LegalMark } from "./legal.js";

const SHOWN_FOR = 2_000;

export class Player {
  #root;
  #replay;
  #board;
  #drawer;
  #legal;
  #motion;
  #at = 0;
  #isPlaying = false;
  /** Rises with everything that is asked for: whoever waits or draws for an older wish stops. */
  #wish = 0;
  /** @type {HTMLElement[]} */
  #marked = [];

  /**
   * @param {HTMLElement} root
   * @param {ReplayDocument} replay
   * @param {string} sprite what stands before `#A` where a piece is used
   */
  constructor(root, replay, sprite) {
    this.#root = root;
    this.#replay = replay;
    this.#board = new Board(this.#part("board"), sprite, { isStill: true });
    this.#board.setSize(replay.rows, replay.cols);
    this.#drawer = new Drawer(this.#board);
    this.#legal = new LegalMark(this.#board);
    const [motion, note] = [this.#input("motion"), this.#part("motion-note")];
    this.#motion = new Motion(motion, note, texts.motionAsked, () => this.#drawer.skip());
    this.#listen();
  }

  /** Shows the step that the address names, or the beginning. */
  start() {
    this.#part("table").hidden = false;
    this.#slider.max = String(this.#replay.steps.length);
    this.#show(placeOf(this.#replay, location.hash) ?? 0);
  }

  get #slider() {
    return this.#input("slider");
  }

  get #speed() {
    const choice = this.#part("speed");
    return choice instanceof HTMLSelectElement ? Number(choice.value) : 1;
  }

  #listen() {
    const length = this.#replay.steps.length;
    this.#part("first").addEventListener("click", () => this.go(0));
    this.#part("back").addEventListener("click", () => this.go(Math.max(this.#at - 1, 0)));
    this.#part("next").addEventListener("click", () => this.go(Math.min(this.#at + 1, length)));
    this.#part("last").addEventListener("click", () => this.go(length));
    this.#part("play").addEventListener("click", () => (this.#isPlaying ? this.#pause() : void this.#play()));
    this.#slider.addEventListener("input", () => this.go(Number(this.#slider.value), false));
    this.#input("legal").addEventListener("change", () => this.#showLegal());
    this.#part("copy").addEventListener("click", () => void this.#copy());
    this.#part("player").addEventListener("keydown", (event) => this.#onKey(event));
    this.#part("list").addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("hashchange", () => {
      const place = placeOf(this.#replay, location.hash);
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
    const place = placeOfKey(event.key, this.#at, this.#replay.steps.length);
    if (place === null) return;
    event.preventDefault();
    this.go(place);
  }

  async #play() {
    if (this.#at === this.#replay.steps.length) this.#show(0);
    this.#setPlaying(true);
    const wish = ++this.#wish;
    while (this.#at < this.#replay.steps.length) {
      await pause(waitBefore(this.#replay.steps[this.#at], this.#speed));
      if (wish !== this.#wish) return;
      await this.#draw(this.#at + 1, wish);
      if (wish !== this.#wish) return;
    }
    this.#setPlaying(false);
  }

  #pause() {
    this.#wish += 1;
    this.#drawer.skip();
    this.#setPlaying(false);
  }

  /** @param {boolean} isPlaying */
  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying;
    const button = this.#part("play");
    button.dataset.state = isPlaying ? "playing" : "paused";
    button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    // While it plays by itself, a screen reader is not told of every step.
    this.#part("say").setAttribute("aria-live", isPlaying ? "off" : "polite");
  }

  /**
   * Draws the step that leads to `at`, then shows it.
   * @param {number} at @param {number} [wish]
   */
  async #draw(at, wish = this.#wish) {
    const { kind, frames = [], action } = this.#replay.steps[at - 1];
    const game = games[this.#replay.game];
    // The board has to stand as the step before left it, also where its drawing was broken off.
    this.#board.draw(positionAt(this.#replay, this.#at).board);
    this.#tell(at);
    this.#mark(at);
    this.#legal.hide();
    if (game && this.#motion.isFull) {
      if (kind === "attempt" && action) await game.refuse(this.#drawer, action);
      else await this.#drawer.play(game.planSteps(frames, paceAt(this.#speed)), () => undefined);
    }
    if (wish === this.#wish) this.#show(at);
  }

  /** @param {number} at */
  #show(at) {
    this.#tell(at);
    this.#drawer.release();
    this.#board.draw(positionAt(this.#replay, at).board);
    this.#part("text").textContent = positionAt(this.#replay, at).board.join("\n");
    this.#mark(at);
    this.#showLegal();
  }

  /** Says in words and numbers where the replay is. @param {number} at */
  #tell(at) {
    this.#at = at;
    const { steps } = this.#replay;
    const step = at > 0 ? steps[at - 1] : null;
    const words = step ? step.words : "The start board.";
    this.#part("score").textContent = number(scoreAt(this.#replay, at));
    this.#part("say").textContent = words;
    this.#part("place").textContent = `${number(at)} of ${number(steps.length)}`;
    this.#part("think").textContent =
      step === null ? "–" : step.think === null ? "not known" : `${(step.think / 1000).toFixed(1)} s`;
    this.#part("count").textContent = number(positionAt(this.#replay, at).legal.count);
    this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", `Step ${at} of ${steps.length}. ${words}`);
    for (const name of ["first", "back"]) this.#disable(name, at === 0);
    for (const name of ["next", "last"]) this.#disable(name, at === steps.length);
    this.#showRow(step?.anchor ?? "");
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

  /** Marks what the step that led here named. @param {number} at */
  #mark(at) {
    for (const cell of this.#marked) cell.classList.remove("is-acted", "is-refused");
    const step = at > 0 ? this.#replay.steps[at - 1] : null;
    this.#marked = cellsOf(step?.action ?? null).map((cell) => this.#board.button(cell));
    for (const cell of this.#marked) cell.classList.add(step?.kind === "attempt" ? "is-refused" : "is-acted");
  }

  #showLegal() {
    if (this.#input("legal").checked) this.#legal.show(positionAt(this.#replay, this.#at).legal);
    else this.#legal.hide();
  }

  async #copy() {
    const button = this.#part("copy");
    const text = this.#part("text");
    try {
      // Not there on plain http from another machine; what is marked can then be copied by keys.
      await navigator.clipboard.writeText(text.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(text);
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, SHOWN_FOR);
  }

  /** @param {string} name @returns {HTMLElement} */
  #part(name) {
    const part = this.#root.querySelector(`[data-replay="${name}"]`);
    if (!(part instanceof HTMLElement)) throw new Error(`The page has no part ${name}.`);
    return part;
  }

  /** @param {string} name */
  #input(name) {
    return /** @type {HTMLInputElement} */ (this.#part(name));
  }
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
