// @ts-check
/**
 * The board of the editor as a grid of cells: painted by mouse, finger or pen (a drag paints all that it crosses), and by
 * keys. One cell can be reached by Tab; arrows, Home and End go on from there.
 */

import { EMPTY } from "./drawing.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {object} Wishes
 * @property {() => string} piece the letter that a click paints
 * @property {(letter: string) => boolean} isPiece whether a key's letter is a piece of this level
 * @property {(letter: string) => string} nameOf a piece in words
 * @property {() => void} begin
 * @property {(row: number, col: number, letter: string) => void} paint
 * @property {() => void} end
 */

export class Canvas {
  /** @type {HTMLElement[][]} */
  #cells = [];
  /** @type {readonly string[]} */
  #lines = [];
  /** @type {Set<string>} */
  #marked = new Set();
  #row = 0;
  #col = 0;
  /** @type {number | null} */
  #pointer = null;

  /**
   * @param {HTMLElement} host
   * @param {string} sprite address of the pieces' pictures
   * @param {Wishes} wishes
   */
  constructor(host, sprite, wishes) {
    this.host = host;
    this.sprite = sprite;
    this.wishes = wishes;
    host.addEventListener("pointerdown", (event) => this.#press(event));
    host.addEventListener("pointermove", (event) => this.#drag(event));
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, (event) => this.#lift(/** @type {PointerEvent} */ (event)));
    }
    host.addEventListener("keydown", (event) => this.#key(event));
    host.addEventListener("focusin", (event) => {
      const place = this.#placeOf(event.target);
      if (place) this.#rove(...place);
    });
  }

  /**
   * Shows the rows; cells that stay keep the focus.
   * @param {readonly string[]} lines
   */
  show(lines) {
    const rows = lines.length;
    const cols = Math.max(0, ...lines.map((line) => line.length));
    if (rows !== this.#cells.length || cols !== (this.#cells[0]?.length ?? 0)) this.#build(rows, cols);
    this.#lines = [...lines];
    for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) this.#draw(row, col);
  }

  /**
   * Marks cells that stand in a run.
   * @param {readonly (readonly number[])[]} cells
   */
  mark(cells) {
    const wanted = new Set(cells.map(([row, col]) => `${row},${col}`));
    const changed = [...wanted, ...this.#marked].filter((name) => wanted.has(name) !== this.#marked.has(name));
    this.#marked = wanted;
    for (const name of changed) {
      const [row = 0, col = 0] = name.split(",").map(Number);
      this.#draw(row, col);
    }
  }

  /**
   * @param {number} rows
   * @param {number} cols
   */
  #build(rows, cols) {
    this.host.replaceChildren();
    this.host.dataset.cols = String(cols);
    this.host.dataset.rows = String(rows);
    this.#cells = [];
    for (let row = 0; row < rows; row++) {
      const line = document.createElement("div");
      line.setAttribute("role", "row");
      line.className = "canvas__row";
      /** @type {HTMLElement[]} */
      const cells = [];
      for (let col = 0; col < cols; col++) {
        const cell = document.createElement("div");
        cell.className = "board__cell canvas__cell";
        cell.setAttribute("role", "gridcell");
        cell.dataset.row = String(row);
        cell.dataset.col = String(col);
        cell.tabIndex = -1;
        const picture = document.createElementNS(SVG, "svg");
        picture.setAttribute("class", "piece");
        picture.setAttribute("aria-hidden", "true");
        picture.append(document.createElementNS(SVG, "use"));
        cell.append(picture);
        line.append(cell);
        cells.push(cell);
      }
      this.#cells.push(cells);
      this.host.append(line);
    }
    this.#rove(Math.min(this.#row, rows - 1), Math.min(this.#col, cols - 1));
  }

  /**
   * @param {number} row
   * @param {number} col
   */
  #draw(row, col) {
    const cell = this.#cells[row]?.[col];
    if (!cell) return;
    const letter = this.#lines[row]?.[col] ?? EMPTY;
    const isMarked = this.#marked.has(`${row},${col}`);
    const words = letter === EMPTY ? "empty" : this.wishes.nameOf(letter);
    cell.setAttribute("aria-label", `Row ${row + 1} column ${col + 1}, ${words}${isMarked ? ", stands in a run" : ""}`);
    cell.classList.toggle("canvas__cell--run", isMarked);
    cell.classList.toggle("canvas__cell--wrong", letter !== EMPTY && !this.wishes.isPiece(letter));
    const use = cell.querySelector("use");
    if (!use || cell.dataset.letter === letter) return;
    cell.dataset.letter = letter;
    if (letter === EMPTY) use.removeAttribute("href");
    else use.setAttribute("href", `${this.sprite}#${letter}`);
  }

  /**
   * The only cell that Tab reaches.
   * @param {number} row
   * @param {number} col
   */
  #rove(row, col) {
    const old = this.#cells[this.#row]?.[this.#col];
    if (old) old.tabIndex = -1;
    this.#row = Math.max(0, row);
    this.#col = Math.max(0, col);
    const cell = this.#cells[this.#row]?.[this.#col];
    if (cell) cell.tabIndex = 0;
  }

  /**
   * @param {EventTarget | Element | null} target
   * @returns {[number, number] | null}
   */
  #placeOf(target) {
    const cell = target instanceof Element ? target.closest(".canvas__cell") : null;
    if (!(cell instanceof HTMLElement) || !this.host.contains(cell)) return null;
    return [Number(cell.dataset.row), Number(cell.dataset.col)];
  }

  /** @param {PointerEvent} event */
  #press(event) {
    const place = this.#placeOf(event.target);
    if (!place || event.button !== 0 || this.#pointer !== null) return;
    event.preventDefault();
    this.#pointer = event.pointerId;
    this.#cells[place[0]]?.[place[1]]?.focus({ preventScroll: true });
    this.wishes.begin();
    this.wishes.paint(...place, this.wishes.piece());
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (event.pointerId !== this.#pointer) return;
    // A fast pointer skips cells: the browser kept what lay between.
    const points = event.getCoalescedEvents?.() ?? [];
    for (const point of points.length ? points : [event]) {
      const place = this.#placeOf(document.elementFromPoint(point.clientX, point.clientY));
      if (place) this.wishes.paint(...place, this.wishes.piece());
    }
  }

  /** @param {PointerEvent} event */
  #lift(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#pointer = null;
    this.wishes.end();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const place = this.#placeOf(event.target);
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, col] = place;
    const last = (this.#cells[0]?.length ?? 1) - 1;
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowUp: [row - 1, col],
      ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1],
      Home: [row, 0],
      End: [row, last],
    };
    const step = steps[event.key];
    const letter = this.#letterOf(event.key);
    if (step) {
      const next = this.#cells[step[0]]?.[step[1]];
      if (next) next.focus();
    } else if (letter) {
      this.wishes.begin();
      this.wishes.paint(row, col, letter);
      this.wishes.end();
    } else return;
    event.preventDefault();
  }

  /**
   * The piece that a key stands for: its letter, its number, or the chosen one for Enter and Space.
   * @param {string} key
   */
  #letterOf(key) {
    if (key === "Enter" || key === " ") return this.wishes.piece();
    const letter = /^[1-9]$/.test(key) ? String.fromCharCode(64 + Number(key)) : key.toUpperCase();
    return letter.length === 1 && this.wishes.isPiece(letter) ? letter : "";
  }
}
