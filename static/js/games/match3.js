/**
 * Match-3 on the page: how a person says which two pieces to swap, and what is written beside the board.
 *
 * @typedef {import("../play/types.js").Cell} Cell
 * @typedef {import("../play/types.js").InputMode} InputMode
 * @typedef {import("../play/types.js").Action} Action
 */

import { directionOfDrag, directionOfKey, isNeighbour, isSame, neighbours, stepFrom } from "../play/geometry.js";
import { planSteps } from "../play/plan.js";
import { texts } from "../play/texts.js";

const DRAG_STARTS = 6;
const DRAG_COUNTS_SHARE = 0.35;
const DRAG_COUNTS_AT_MOST = 20;
const EDGE_GIVE = 0.12;
/** Milliseconds within which a browser follows the end of a touch with its click. */
const CLICK_FOLLOWS = 400;

export { planSteps };

/** @param {number} left */
export function leftText(left) {
  return texts.movesLeft(left);
}

/**
 * How many moves the round has in all, for the row of dots.
 * @param {number} used moves made that stand @param {number} left
 */
export function wholeMoves(used, left) {
  return used + left;
}

/** @param {import("../play/types.js").EndMessage} end */
export function overWords({ reason }) {
  return texts.overReasons[reason] ?? "";
}

/**
 * While the answer is awaited the two pieces lean toward each other.
 * @param {import("../play/animate.js").Drawer} drawer @param {Action} action
 */
export function hold(drawer, action) {
  if (isSwap(action)) drawer.hold(...action);
}

/**
 * A swap that the server refused: there and back.
 * @param {import("../play/animate.js").Drawer} drawer @param {Action} action
 */
export function refuse(drawer, action) {
  return isSwap(action) ? drawer.thereAndBack(...action) : undefined;
}

/** @param {Action} action @returns {action is [Cell, Cell]} */
function isSwap(action) {
  return Array.isArray(action[0]) && Array.isArray(action[1]);
}

/** The first of the two cells is the one that the person began with. */
export class Gesture {
  #table;
  /** @type {Cell | null} */
  #picked = null;
  /** @type {{id: number, from: Cell, to: Cell | null, x: number, y: number, far: number, farthest: number, touch: boolean} | null} */
  #drag = null;
  #swallowsClick = false;
  #swallowTimer = 0;
  #ends = new AbortController();

  /** @param {import("./game.js").Table} table */
  constructor(table) {
    this.#table = table;
    const { root } = table.board;
    const { signal } = this.#ends;
    root.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    root.addEventListener("click", (event) => this.#onClick(event), { signal });
    root.addEventListener("pointerdown", (event) => this.#onDown(event), { signal });
    // On the window, so that a pointer which leaves the board still ends what it began.
    window.addEventListener("pointermove", (event) => this.#onMove(event), { signal });
    window.addEventListener("pointerup", (event) => this.#onUp(event), { signal });
    window.addEventListener("pointercancel", () => this.reset(), { signal });
    // A finger that rests on a piece is still playing.
    root.addEventListener("contextmenu", (event) => this.#drag?.touch && event.preventDefault(), { signal });
    window.addEventListener("blur", () => this.#dropDrag(), { signal });
  }

  /** Every pair of neighbours may be tried: nothing has to be known of the board. */
  see() {}

  /** Nothing is shown before a piece is picked up. */
  opened() {}

  /** Puts down what is picked up or dragged. */
  reset() {
    this.#dropDrag();
    if (this.#picked) {
      this.#picked = null;
      this.#table.board.pick(null);
    }
  }

  end() {
    this.reset();
    this.#ends.abort();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { board } = this.#table;
    const cell = board.cellAt(event.target);
    if (!cell || event.altKey || event.metaKey) return;
    const direction = event.ctrlKey ? null : directionOfKey(event.key);
    if (direction && this.#picked) {
      event.preventDefault();
      const to = stepFrom(this.#picked, direction, board.rows, board.cols);
      if (to) this.#wish(this.#picked, to, "key");
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat && this.#table.isOpen()) this.#choose(cell, "key");
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
    this.#choose(cell, "click");
  }

  /**
   * The first choice picks a piece up; a neighbour of it makes the swap; itself puts it down; any other is picked instead.
   * @param {Cell} cell @param {InputMode} input
   */
  #choose(cell, input) {
    const { board } = this.#table;
    if (this.#picked && isNeighbour(this.#picked, cell)) {
      this.#wish(this.#picked, cell, input);
    } else if (this.#picked && isSame(this.#picked, cell)) {
      this.reset();
    } else {
      this.#picked = cell;
      board.pick(cell, neighbours(cell, board.rows, board.cols));
    }
  }

  /** @param {Cell} from @param {Cell} to @param {InputMode} input */
  #wish(from, to, input) {
    this.reset();
    this.#table.wish([from, to], input);
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    this.#swallow(false);
    if (event.button !== 0 || !event.isPrimary) return this.#dropDrag();
    if (this.#table.skip()) return this.#swallow(true);
    const cell = this.#table.board.cellAt(event.target);
    if (!cell || !this.#table.isOpen()) return;
    this.#drag = {
      id: event.pointerId,
      from: cell,
      to: null,
      x: event.clientX,
      y: event.clientY,
      far: 0,
      farthest: 0,
      touch: event.pointerType === "touch",
    };
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const { board, drawer } = this.#table;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    const direction = directionOfDrag(dx, dy, DRAG_STARTS);
    drawer.release();
    drag.far = 0;
    drag.to = null;
    if (!direction) return;
    board.root.classList.add("is-dragging");
    const isAcross = direction === "left" || direction === "right";
    const pitch = isAcross ? board.pitch.x : board.pitch.y;
    drag.to = stepFrom(drag.from, direction, board.rows, board.cols);
    drag.far = Math.min(Math.abs(isAcross ? dx : dy), pitch);
    drag.farthest = Math.max(drag.farthest, drag.far);
    const sign = direction === "right" || direction === "down" ? 1 : -1;
    const shown = sign * (drag.to ? drag.far : drag.far * EDGE_GIVE);
    drawer.offset(drag.from, isAcross ? [shown, 0] : [0, shown]);
    if (drag.to) drawer.offset(drag.to, isAcross ? [-shown, 0] : [0, -shown]);
  }

  /** @param {PointerEvent} event */
  #onUp(event) {
    if (this.#swallowsClick) this.#swallowFor(CLICK_FOLLOWS);
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const { board } = this.#table;
    const counts = Math.min(Math.min(board.pitch.x, board.pitch.y) * DRAG_COUNTS_SHARE, DRAG_COUNTS_AT_MOST);
    const input = drag.touch ? "touch" : "drag";
    this.#dropDrag();
    // A mouse that hardly moved clicks. A finger that hardly moved taps: it need not wait for a click, which a long
    // touch never gives. Who went far enough and came back has thought better of it.
    const isDrag = drag.farthest >= counts;
    if (isDrag || drag.touch) this.#swallowFor(CLICK_FOLLOWS);
    if (isDrag) this.reset();
    if (!this.#table.isOpen() || (!isDrag && !drag.touch)) return;
    board.focus(drag.from);
    if (!isDrag) this.#choose(drag.from, input);
    else if (drag.to && drag.far >= counts) this.#wish(drag.from, drag.to, input);
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

  #dropDrag() {
    if (!this.#drag) return;
    this.#drag = null;
    this.#table.board.root.classList.remove("is-dragging");
    this.#table.drawer.release();
  }
}
