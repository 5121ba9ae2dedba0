/**
 * The board as a grid of buttons: what lies where, what each cell is called, which one has the focus.
 * One cell at a time is a tab stop; the arrow keys move among them. A board that is only looked at is a table of
 * pictures instead, without any tab stop.
 *
 * @typedef {import("./types.js").Cell} Cell
 */

import { cellOfKey, isSame } from "./geometry.js";
import { cellName, texts } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";

export class Board {
  rows = 0;
  cols = 0;
  /** @type {string[][]} letters, "." where a cell is empty */
  #letters = [];
  /** @type {HTMLElement[][]} */
  #buttons = [];
  #isStill;
  /** @type {Cell} */
  #tabStop = [0, 0];
  /** @type {Cell | null} */
  #picked = null;
  /** What a cell is called; a game that has more to say of one puts its own here. */
  nameOf = cellName;

  /**
   * @param {HTMLElement} root
   * @param {string} sprite what stands before `#A` where a piece is used
   * @param {{isStill?: boolean}} [options] isStill: nothing can be chosen on it
   */
  constructor(root, sprite, { isStill = false } = {}) {
    this.root = root;
    this.sprite = sprite;
    this.#isStill = isStill;
    this.effects = document.createElement("div");
    this.effects.className = "board__effects";
    this.effects.setAttribute("aria-hidden", "true");
    root.addEventListener("focusin", (event) => {
      const cell = this.cellAt(event.target);
      if (cell) this.#setTabStop(cell);
    });
  }

  /**
   * Builds the cells, unless they stand already.
   * @param {number} rows @param {number} cols
   */
  setSize(rows, cols) {
    if (rows === this.rows && cols === this.cols) return;
    this.rows = rows;
    this.cols = cols;
    this.#letters = Array.from({ length: rows }, () => Array(cols).fill("."));
    this.#buttons = [];
    this.#tabStop = [0, 0];
    this.root.dataset.cols = String(cols);
    this.root.style.setProperty("--rows", String(rows));
    this.root.setAttribute("aria-label", texts.board(rows, cols));
    this.root.setAttribute("role", this.#isStill ? "table" : "grid");
    const lines = Array.from({ length: rows }, (_, row) => {
      const line = document.createElement("div");
      line.className = "board__row";
      line.setAttribute("role", "row");
      this.#buttons.push(Array.from({ length: cols }, (_unused, col) => makeCell(row, col, this.#isStill)));
      for (const button of this.#buttons[row]) {
        const holder = document.createElement("div");
        holder.className = "board__cell";
        holder.setAttribute("role", this.#isStill ? "cell" : "gridcell");
        holder.append(button);
        line.append(holder);
      }
      return line;
    });
    this.root.replaceChildren(...lines, this.effects);
    if (!this.#isStill) this.#buttons[0][0].tabIndex = 0;
  }

  /**
   * Puts the pieces where the server says they are and names every cell anew.
   * @param {string[]} board
   */
  draw(board) {
    board.forEach((line, row) => {
      Array.from(line).forEach((letter, col) => {
        if (this.#letters[row][col] !== letter || !this.piece([row, col])) this.put([row, col], letter);
      });
    });
    this.root.querySelectorAll(".piece").forEach((piece) => {
      for (const animation of piece.getAnimations()) animation.cancel();
      if (piece instanceof SVGElement) piece.style.transform = "";
    });
    this.#buttons.flat().forEach((button) => this.#name(button));
  }

  /** Names cells anew. @param {Cell[]} cells */
  name(cells) {
    for (const cell of cells) this.#name(this.button(cell));
  }

  /** @param {Cell} cell */
  button([row, col]) {
    return this.#buttons[row][col];
  }

  /** @param {Cell} cell @returns {SVGElement | null} */
  piece(cell) {
    return this.button(cell).querySelector(".piece");
  }

  /** @param {Cell} cell */
  letter([row, col]) {
    return this.#letters[row][col];
  }

  /**
   * @param {Cell} cell
   * @param {string} letter "." takes the piece away
   * @returns {SVGElement | null} the new piece
   */
  put(cell, letter) {
    this.#letters[cell[0]][cell[1]] = letter;
    this.piece(cell)?.remove();
    if (letter === ".") return null;
    const piece = document.createElementNS(SVG, "svg");
    piece.setAttribute("class", "piece");
    piece.setAttribute("aria-hidden", "true");
    piece.setAttribute("focusable", "false");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `${this.sprite}#${letter}`);
    piece.append(use);
    this.button(cell).append(piece);
    return piece;
  }

  /**
   * Moves pieces at the same moment; what lay where one ends must be gone or move too.
   * @param {[Cell, Cell][]} moves from, to
   * @returns {(SVGElement | null)[]} the pieces moved
   */
  move(moves) {
    const taken = moves.map(([from]) => ({ letter: this.letter(from), piece: this.piece(from) }));
    for (const [from] of moves) this.#letters[from[0]][from[1]] = ".";
    for (const { piece } of taken) piece?.remove();
    moves.forEach(([, to], index) => {
      const { letter, piece } = taken[index];
      this.#letters[to[0]][to[1]] = letter;
      if (piece) this.button(to).append(piece);
    });
    return taken.map(({ piece }) => piece);
  }

  /** Pixels from a cell to the next, across and down. */
  get pitch() {
    const first = this.button([0, 0]).getBoundingClientRect();
    const last = this.button([this.rows - 1, this.cols - 1]).getBoundingClientRect();
    return {
      x: this.cols > 1 ? (last.left - first.left) / (this.cols - 1) : first.width,
      y: this.rows > 1 ? (last.top - first.top) / (this.rows - 1) : first.height,
    };
  }

  /** @param {EventTarget | null} target @returns {Cell | null} */
  cellAt(target) {
    const button = target instanceof Element ? target.closest("button") : null;
    if (!button || !this.root.contains(button)) return null;
    return [Number(button.dataset.row), Number(button.dataset.col)];
  }

  /** @param {Cell} cell */
  focus(cell) {
    this.button(cell).focus({ preventScroll: true });
  }

  /**
   * Moves the focus if the key is one of the grid's.
   * @param {KeyboardEvent} event
   */
  moveFocus(event) {
    const cell = this.cellAt(event.target);
    const next = cell && cellOfKey(cell, event.key, event.ctrlKey, this.rows, this.cols);
    if (!next) return false;
    event.preventDefault();
    this.button(next).focus();
    return true;
  }

  /**
   * Marks the piece that is picked up and the cells it may go to.
   * @param {Cell | null} cell
   * @param {Cell[]} targets
   */
  pick(cell, targets = []) {
    const before = this.#picked;
    this.#picked = cell;
    for (const changed of [before, cell]) {
      if (changed) this.#name(this.button(changed));
    }
    for (const button of this.#buttons.flat()) {
      const here = buttonCell(button);
      button.classList.toggle("is-picked", cell !== null && isSame(here, cell));
      button.classList.toggle("is-target", targets.some((target) => isSame(target, here)));
    }
  }

  /** Marks the cells of a move that is shown to somebody, by a ring and not by colour. @param {Cell[]} cells none: takes it away */
  hint(cells) {
    for (const button of this.#buttons.flat()) {
      const here = buttonCell(button);
      button.classList.toggle("is-hinted", cells.some((cell) => isSame(cell, here)));
    }
  }

  /** @param {boolean} isOpen whether a move may be made now */
  setOpen(isOpen) {
    this.root.classList.toggle("is-open", isOpen);
  }

  /** @param {boolean} isOff without a link nobody plays */
  setOff(isOff) {
    this.root.classList.toggle("is-off", isOff);
    if (isOff) this.root.setAttribute("aria-disabled", "true");
    else this.root.removeAttribute("aria-disabled");
  }

  /** @param {Cell} cell */
  #setTabStop(cell) {
    this.button(this.#tabStop).tabIndex = -1;
    this.#tabStop = cell;
    this.button(cell).tabIndex = 0;
  }

  /** @param {HTMLElement} button */
  #name(button) {
    const cell = buttonCell(button);
    const name = this.nameOf(cell, this.letter(cell), this.#picked !== null && isSame(cell, this.#picked));
    if (button.getAttribute("aria-label") !== name) button.setAttribute("aria-label", name);
  }
}

/** @param {number} row @param {number} col @param {boolean} isStill */
function makeCell(row, col, isStill) {
  const cell = document.createElement(isStill ? "span" : "button");
  cell.className = "board__button";
  cell.dataset.row = String(row);
  cell.dataset.col = String(col);
  if (cell instanceof HTMLButtonElement) {
    cell.type = "button";
    cell.tabIndex = -1;
  } else {
    cell.setAttribute("role", "img");
  }
  return cell;
}

/** @param {HTMLElement} button @returns {Cell} */
function buttonCell(button) {
  return [Number(button.dataset.row), Number(button.dataset.col)];
}
