/**
 * Draws the frames of a move one after the other. Each frame changes the board first and then lets the pieces travel from
 * where they were, so that a drawing which is skipped leaves nothing half done.
 *
 * @typedef {import("./types.js").Cell} Cell
 * @typedef {import("./plan.js").Step} Step
 */

import { burst, showBonus, showPoints } from "./effects.js";

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const DROP = "cubic-bezier(0.45, 0.05, 0.6, 1)";
const THERE_AND_BACK = 240;
const HELD_SHARE = 0.16;

export class Drawer {
  #board;
  /** @type {Set<Animation>} */
  #running = new Set();
  #isSkipped = false;

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.#board = board;
  }

  /**
   * @param {Step[]} steps
   * @param {(points: number) => void} onGain told of the points of each step when it is shown
   */
  async play(steps, onGain) {
    this.#isSkipped = false;
    for (const { frame, duration } of steps) {
      if (this.#isSkipped) return;
      if (frame.f === "clear") onGain(frame.gained);
      if (frame.f === "bonus") onGain(frame.points);
      await this.#draw(frame, duration);
    }
  }

  /** Ends the drawing at once. */
  skip() {
    this.#isSkipped = true;
    for (const animation of this.#running) animation.finish();
    this.#running.clear();
  }

  /**
   * A swap that the server refused: the two go part of the way, shake and come back.
   * @param {Cell} a @param {Cell} b
   */
  async thereAndBack(a, b) {
    this.#isSkipped = false;
    const { x, y } = this.#board.pitch;
    const toward = (/** @type {number} */ share) => [(b[1] - a[1]) * x * share, (b[0] - a[0]) * y * share];
    const path = (/** @type {number} */ sign) =>
      [HELD_SHARE, 0.5, 0, 0.07, -0.05, 0].map((share, index) => ({
        transform: translation(toward(share * sign)),
        offset: [0, 0.35, 0.7, 0.8, 0.9, 1][index],
        easing: EASE,
      }));
    const pieces = [this.#board.piece(a), this.#board.piece(b)];
    this.release();
    await Promise.all(pieces.map((piece, index) => this.#run(piece, path(index === 0 ? 1 : -1), THERE_AND_BACK)));
  }

  /**
   * While the answer is awaited the two pieces lean toward each other.
   * @param {Cell} a @param {Cell} b
   */
  hold(a, b) {
    const { x, y } = this.#board.pitch;
    const lean = [(b[1] - a[1]) * x * HELD_SHARE, (b[0] - a[0]) * y * HELD_SHARE];
    this.offset(a, lean);
    this.offset(b, [-lean[0], -lean[1]]);
  }

  /**
   * Shows a piece away from its cell, as a drag does.
   * @param {Cell} cell @param {number[]} by pixels across and down
   */
  offset(cell, by) {
    const piece = this.#board.piece(cell);
    if (!piece) return;
    piece.style.transform = translation(by);
    piece.classList.add("is-held");
  }

  /** Lets go of every piece that is shown away from its cell. */
  release() {
    for (const piece of this.#board.root.querySelectorAll(".piece.is-held")) {
      if (piece instanceof SVGElement) piece.style.transform = "";
      piece.classList.remove("is-held");
    }
  }

  /** @param {import("./types.js").Frame} frame @param {number} duration */
  async #draw(frame, duration) {
    switch (frame.f) {
      case "swap":
        return this.#travel([[frame.a, frame.b], [frame.b, frame.a]], duration, EASE);
      case "clear":
        return this.#clear(frame, duration);
      case "fall":
        return this.#fall(frame, duration);
      case "close":
        return this.#close(frame, duration);
      case "bonus":
        return this.#run(showBonus(this.#board, frame.points, duration), [], duration);
      case "shuffle":
        await this.#fade(1, 0, duration / 2);
        this.#board.draw(frame.board);
        return this.#fade(0, 1, duration / 2);
      case "set":
        return this.#board.draw(frame.board);
    }
  }

  /** @param {import("./types.js").ClearFrame} frame @param {number} duration */
  async #clear(frame, duration) {
    /** @type {SVGElement[]} */
    const going = [];
    const pitch = this.#board.pitch;
    const count = frame.matches.reduce((sum, match) => sum + match.cells.length, 0);
    for (const match of frame.matches) {
      for (const cell of match.cells) {
        const piece = this.#board.piece(cell);
        if (piece) going.push(piece);
        burst(this.#board, cell, match.piece, pitch, count);
      }
      showPoints(this.#board, match, frame.mult);
    }
    const path = [
      { transform: "scale(1)", opacity: 1 },
      { transform: "scale(1.16)", opacity: 1, offset: 0.35 },
      { transform: "scale(0.3)", opacity: 0 },
    ];
    await Promise.all(going.map((piece) => this.#run(piece, path, duration)));
    for (const match of frame.matches) {
      for (const cell of match.cells) this.#board.put(cell, ".");
    }
  }

  /** @param {import("./types.js").FallFrame} frame @param {number} duration */
  async #fall(frame, duration) {
    const { y } = this.#board.pitch;
    const fresh = (frame.new ?? []).map(([row, col, letter, start]) => ({ row, col, letter, start }));
    /** @type {[Cell, Cell][]} */
    const moves = frame.moves.map(([fromRow, fromCol, row, col]) => [[fromRow, fromCol], [row, col]]);
    const travelling = this.#travel(moves, duration, DROP);
    const falling = fresh.map(({ row, col, letter, start }) => {
      const piece = this.#board.put([row, col], letter);
      const path = [
        { transform: translation([0, (start - row) * y]), opacity: 0 },
        { opacity: 1, offset: 0.4 },
        { transform: "none", opacity: 1 },
      ];
      return this.#run(piece, path, duration, DROP);
    });
    await Promise.all([travelling, ...falling]);
  }

  /** Whole columns shift sideways. @param {import("./types.js").CloseFrame} frame @param {number} duration */
  #close(frame, duration) {
    /** @type {[Cell, Cell][]} */
    const moves = frame.moves.flatMap(([from, to]) =>
      Array.from({ length: this.#board.rows }, (_, row) => /** @type {[Cell, Cell]} */ ([[row, from], [row, to]])),
    );
    return this.#travel(moves.filter(([from]) => this.#board.piece(from)), duration, EASE);
  }

  /**
   * Pieces go from cell to cell, starting from where they are shown now.
   * @param {[Cell, Cell][]} moves @param {number} duration @param {string} easing
   */
  async #travel(moves, duration, easing) {
    const { x, y } = this.#board.pitch;
    const shown = moves.map(([from]) => shownOffset(this.#board.piece(from)));
    this.release();
    const pieces = this.#board.move(moves);
    await Promise.all(
      moves.map(([from, to], index) => {
        const start = [(from[1] - to[1]) * x + shown[index][0], (from[0] - to[0]) * y + shown[index][1]];
        return this.#run(pieces[index], [{ transform: translation(start) }, { transform: "none" }], duration, easing);
      }),
    );
  }

  /** @param {number} from @param {number} to @param {number} duration */
  async #fade(from, to, duration) {
    const pieces = Array.from(this.#board.root.querySelectorAll(".piece"));
    const path = [from, to].map((opacity) => ({ opacity, transform: `scale(${0.6 + 0.4 * opacity})` }));
    await Promise.all(pieces.map((piece) => this.#run(piece, path, duration)));
  }

  /**
   * @param {Element | null} element @param {Keyframe[]} path @param {number} duration @param {string} [easing]
   */
  async #run(element, path, duration, easing = EASE) {
    if (!element || this.#isSkipped || duration <= 0) return;
    const animation = element.animate(path, { duration, easing, fill: "backwards" });
    this.#running.add(animation);
    // A page in the background may never finish an animation; the clock does.
    const late = new Promise((resolve) => setTimeout(resolve, duration + 80));
    await Promise.race([animation.finished.catch(() => undefined), late]);
    this.#running.delete(animation);
  }
}

/** @param {number[]} by */
function translation([x, y]) {
  return `translate(${x}px, ${y}px)`;
}

/** @param {Element | null} piece */
function shownOffset(piece) {
  if (!piece) return [0, 0];
  const matrix = new DOMMatrix(getComputedStyle(piece).transform);
  return [matrix.m41, matrix.m42];
}
