/**
 * SameGame on the page: how a person sees a group and what it is worth, and how they remove it. A mouse shows the group
 * that it points at and a click removes it, the keyboard the one that has the focus; a finger, which points at nothing
 * before it touches, chooses a group first and removes it when it touches that again.
 *
 * @typedef {import("../play/types.js").Cell} Cell
 * @typedef {import("../play/types.js").InputMode} InputMode
 * @typedef {import("../play/groups.js").Group} Group
 */

import { isSame } from "../play/geometry.js";
import { GroupMap } from "../play/groups.js";
import { Mark } from "../play/mark.js";
import * as plan from "../play/plan.js";
import { cellName, groupCellName, texts } from "../play/texts.js";

const SLIDE_STARTS = 10;
/** Milliseconds within which a browser follows the end of a touch with its click. */
const CLICK_FOLLOWS = 400;

/** @param {number} left */
export function leftText(left) {
  return texts.groupsLeft(left);
}

/** There is no limit on moves, so there is no row of dots. */
export function wholeMoves() {
  return 0;
}

/**
 * @param {import("../play/types.js").Frame[]} frames @param {import("../play/types.js").Pace} pace
 */
export function planSteps(frames, pace) {
  // Where nothing lay above the group, nothing is waited for.
  return plan.planSteps(frames.filter((frame) => frame.f !== "fall" || frame.moves.length > 0), pace);
}

/**
 * Why the round is over and what that did to the score.
 * @param {import("../play/types.js").EndMessage} end
 */
export function overWords({ reason, bonus }) {
  if (!bonus) return texts.overReasons[reason] ?? "";
  return bonus.why === "empty" ? texts.cleared(bonus.points) : texts.piecesLeft(bonus.by ?? {}, -bonus.points);
}

/** The group stays where it is until the answer comes. */
export function hold() {}

/** A piece that cannot be removed simply stays; the words say why. */
export function refuse() {
  return undefined;
}

export class Gesture {
  #table;
  #mark;
  #groups = new GroupMap([], [0]);
  /** @type {Cell | null} where the mouse is */
  #pointed = null;
  /** @type {Cell | null} a cell of the group that a finger has chosen */
  #chosen = null;
  /** Whether the keyboard or the mouse was used last. */
  #isByKey = false;
  #mouse = { x: NaN, y: NaN };
  /** @type {{id: number, cell: Cell, x: number, y: number, isSlide: boolean} | null} */
  #finger = null;
  #swallowsClick = false;
  #swallowTimer = 0;
  #ends = new AbortController();

  /** @param {import("./game.js").Table} table */
  constructor(table) {
    this.#table = table;
    this.#mark = new Mark(table.board);
    const { root } = table.board;
    const { signal } = this.#ends;
    table.board.nameOf = (cell, letter) => this.#nameOf(cell, letter);
    root.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    root.addEventListener("click", (event) => this.#onClick(event), { signal });
    root.addEventListener("focusin", () => this.#showCurrent(), { signal });
    root.addEventListener("focusout", () => this.#showCurrent(), { signal });
    root.addEventListener("pointerdown", (event) => this.#onDown(event), { signal });
    root.addEventListener("pointerleave", () => this.#point(null), { signal });
    window.addEventListener("pointermove", (event) => this.#onMove(event), { signal });
    window.addEventListener("pointerup", (event) => this.#onUp(event), { signal });
    window.addEventListener("pointercancel", () => this.reset(), { signal });
    // A finger that rests on a piece is still playing.
    root.addEventListener("contextmenu", (event) => this.#finger && event.preventDefault(), { signal });
  }

  /** What may be removed now. @param {{groups?: number[][], worth?: number[]}} state */
  see({ groups = [], worth = [0] }) {
    this.#groups = new GroupMap(groups, worth);
    this.#mark.hide();
  }

  /** A move may be made again: the group under the mouse or the focus is another one now. */
  opened() {
    this.#showCurrent();
  }

  /** Shows no group and forgets the one that was chosen. */
  reset() {
    this.#finger = null;
    this.#choose(null);
    this.#show(null);
  }

  end() {
    this.reset();
    this.#table.board.nameOf = cellName;
    this.#table.board.root.classList.remove("is-touched");
    this.#ends.abort();
  }

  /** @param {Cell} cell @param {string} letter */
  #nameOf(cell, letter) {
    const group = this.#groups.at(cell);
    const isChosen = this.#chosen !== null && group !== null && group === this.#groups.at(this.#chosen);
    return groupCellName(cell, letter, group, isChosen);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { board } = this.#table;
    const cell = board.cellAt(event.target);
    if (!cell || event.altKey || event.metaKey) return;
    this.#isByKey = true;
    board.root.classList.remove("is-touched");
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) this.#remove(cell, "key");
    } else if (event.key === "Escape") {
      if (!this.#table.skip()) this.reset();
    } else {
      board.moveFocus(event);
    }
  }

  /** The mouse, and the click that a screen reader makes. @param {MouseEvent} event */
  #onClick(event) {
    const cell = this.#table.board.cellAt(event.target);
    if (!cell || this.#swallowsClick || !this.#table.isOpen()) return;
    this.#table.board.focus(cell);
    this.#remove(cell, "click");
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    this.#swallow(false);
    if (event.button !== 0 || !event.isPrimary) return;
    this.#isByKey = false;
    this.#table.board.root.classList.toggle("is-touched", event.pointerType !== "mouse");
    if (this.#table.skip()) return this.#swallow(true);
    const cell = this.#table.board.cellAt(event.target);
    if (!cell || event.pointerType === "mouse" || !this.#table.isOpen()) return;
    this.#finger = { id: event.pointerId, cell, x: event.clientX, y: event.clientY, isSlide: false };
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    if (event.pointerType === "mouse") {
      // When pieces move under a mouse that rests, browsers tell of a move that was none.
      if (event.clientX === this.#mouse.x && event.clientY === this.#mouse.y) return;
      this.#mouse = { x: event.clientX, y: event.clientY };
      this.#point(this.#table.board.cellAt(event.target));
      return;
    }
    const finger = this.#finger;
    if (finger?.id !== event.pointerId) return;
    finger.isSlide ||= Math.hypot(event.clientX - finger.x, event.clientY - finger.y) > SLIDE_STARTS;
    if (finger.isSlide) this.#choose(this.#cellUnder(event));
  }

  /** A finger that lifts where it touched taps; one that slid over the board has chosen where it lifts. @param {PointerEvent} event */
  #onUp(event) {
    if (this.#swallowsClick) this.#swallowFor(CLICK_FOLLOWS);
    const finger = this.#finger;
    if (finger?.id !== event.pointerId) return;
    this.#finger = null;
    this.#swallowFor(CLICK_FOLLOWS);
    if (finger.isSlide || !this.#table.isOpen()) return;
    this.#table.board.focus(finger.cell);
    const group = this.#groups.at(finger.cell);
    const isAgain = this.#chosen !== null && group === this.#groups.at(this.#chosen);
    if (group && !isAgain) this.#choose(finger.cell);
    else this.#remove(finger.cell, "touch");
  }

  /** What cannot be removed is wished too: the server answers why not. @param {Cell} cell @param {InputMode} input */
  #remove(cell, input) {
    if (!this.#table.isOpen()) return;
    if (this.#table.board.letter(cell) === ".") this.reset();
    else this.#table.wish(cell, input);
  }

  /** @param {Cell | null} cell */
  #point(cell) {
    this.#isByKey = false;
    const isOther = cell === null || this.#pointed === null || !isSame(cell, this.#pointed);
    this.#pointed = cell;
    if (isOther) this.#showCurrent();
  }

  /** @param {Cell | null} cell */
  #choose(cell) {
    const before = this.#chosen;
    this.#chosen = cell && this.#groups.at(cell) ? cell : null;
    if (before === this.#chosen) return;
    for (const changed of [before, this.#chosen]) {
      if (changed) this.#table.board.name(this.#groups.at(changed)?.cells ?? []);
    }
    this.#showCurrent();
  }

  #showCurrent() {
    if (!this.#table.isOpen()) return;
    const focused = document.activeElement;
    const atFocus = focused?.matches(":focus-visible") ? this.#table.board.cellAt(focused) : null;
    this.#show(this.#chosen ?? (this.#isByKey ? atFocus : (this.#pointed ?? atFocus)));
  }

  /** @param {Cell | null} cell */
  #show(cell) {
    const group = cell && this.#groups.at(cell);
    if (!group) {
      this.#mark.hide();
      this.#table.preview("");
      return;
    }
    this.#mark.show(group.cells, texts.points(group.worth), this.#chosen !== null);
    const words = texts.group(group.cells.length, group.worth);
    this.#table.preview(this.#chosen ? `${words}. ${texts.tapAgain}` : words);
  }

  /** @param {PointerEvent} event */
  #cellUnder(event) {
    return this.#table.board.cellAt(document.elementFromPoint(event.clientX, event.clientY));
  }

  /** Whether the clicks that come now belong to something that is done already. @param {boolean} swallows */
  #swallow(swallows) {
    clearTimeout(this.#swallowTimer);
    this.#swallowsClick = swallows;
  }

  /** @param {number} milliseconds */
  #swallowFor(milliseconds) {
    this.#swallow(true);
    this.#swallowTimer = setTimeout(() => this.#swallow(false), milliseconds);
  }
}
