/**
 * One game of a replay: its board, and what is said of where it stands. A page shows one, or two that step together.
 * What carries `data-replay` in its part of the page is filled here.
 *
 * @typedef {import("./document.js").ReplayDocument} ReplayDocument
 */

import { games } from "../games/index.js";
import { Drawer } from "../play/animate.js";
import { Board } from "../play/board.js";
import { number } from "../play/texts.js";
import { cellsOf, paceAt, positionAt, scoreAt } from "./document.js";
import { LegalMark } from "./legal.js";

const SHOWN_FOR = 2_000;

export class Side {
  #root;
  #drawer;
  #legal;
  #at = 0;
  /** @type {HTMLElement[]} */
  #marked = [];
  /** @type {HTMLElement[]} */
  #advised = [];

  /**
   * @param {HTMLElement} root
   * @param {ReplayDocument} replay
   * @param {string} sprite what stands before `#A` where a piece is used
   */
  constructor(root, replay, sprite) {
    this.#root = root;
    this.replay = replay;
    this.board = new Board(part(root, "board"), sprite, { isStill: true });
    this.board.setSize(replay.rows, replay.cols);
    this.#drawer = new Drawer(this.board);
    this.#legal = new LegalMark(this.board);
    part(root, "copy").addEventListener("click", () => void this.#copy());
  }

  get length() {
    return this.replay.steps.length;
  }

  /** The step that leads to `at`; null at the beginning and once this game is over. @param {number} at */
  stepTo(at) {
    return at > 0 && at <= this.length ? this.replay.steps[at - 1] : null;
  }

  skip() {
    this.#drawer.skip();
  }

  /**
   * Draws the step that leads to `at` on its way, where motion is wanted.
   * @param {number} at @param {number} speed @param {boolean} isFull
   */
  async draw(at, speed, isFull) {
    const step = this.stepTo(at);
    const game = games[this.replay.game];
    // The board has to stand as the step before left it, also where its drawing was broken off.
    this.board.draw(positionAt(this.replay, Math.min(this.#at, this.length)).board);
    this.tell(at);
    this.#mark(at);
    this.#legal.hide();
    if (!step || !game || !isFull) return;
    if (step.kind === "attempt" && step.action) await game.refuse(this.#drawer, step.action);
    else await this.#drawer.play(game.planSteps(step.frames ?? [], paceAt(speed)), () => undefined);
  }

  /** @param {number} at @param {boolean} isLegalShown */
  show(at, isLegalShown) {
    this.tell(at);
    this.#drawer.release();
    const { board } = positionAt(this.replay, Math.min(at, this.length));
    this.board.draw(board);
    part(this.#root, "text").textContent = board.join("\n");
    this.#mark(at);
    this.showLegal(isLegalShown);
  }

  /** Says in words and numbers where the game is. @param {number} at */
  tell(at) {
    this.#at = at;
    const place = Math.min(at, this.length);
    const step = this.stepTo(at);
    part(this.#root, "say").textContent = this.wordsAt(at);
    part(this.#root, "score").textContent = number(scoreAt(this.replay, place));
    part(this.#root, "count").textContent = number(positionAt(this.replay, place).legal.count);
    const think = this.#root.querySelector('[data-replay="think"]');
    if (think) think.textContent = !step ? "–" : step.think === null ? "not known" : `${(step.think / 1000).toFixed(1)} s`;
  }

  /** @param {number} at */
  wordsAt(at) {
    if (at === 0) return "The start board.";
    return this.stepTo(at)?.words ?? `This game ended after ${number(this.length)} steps.`;
  }

  /** @param {boolean} isShown */
  showLegal(isShown) {
    if (isShown) this.#legal.show(positionAt(this.replay, Math.min(this.#at, this.length)).legal);
    else this.#legal.hide();
  }

  /** Marks the cells that somebody would act on; null: none. @param {import("../play/types.js").Action | null} action */
  advise(action) {
    for (const cell of this.#advised) cell.classList.remove("is-advised");
    this.#advised = cellsOf(action).map((cell) => this.board.button(cell));
    for (const cell of this.#advised) cell.classList.add("is-advised");
  }

  /** Marks what the step that led here named. @param {number} at */
  #mark(at) {
    for (const cell of this.#marked) cell.classList.remove("is-acted", "is-refused");
    const step = this.stepTo(at);
    this.#marked = cellsOf(step?.action ?? null).map((cell) => this.board.button(cell));
    for (const cell of this.#marked) cell.classList.add(step?.kind === "attempt" ? "is-refused" : "is-acted");
  }

  async #copy() {
    const button = part(this.#root, "copy");
    const text = part(this.#root, "text");
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
}

/** @param {HTMLElement} root @param {string} name @returns {HTMLElement} */
export function part(root, name) {
  const found = root.querySelector(`[data-replay="${name}"]`);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no part ${name}.`);
  return found;
}
