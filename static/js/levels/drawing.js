// @ts-check
/**
 * A board that is being drawn, with every step back and forth. It knows letters and places, no rule of any game.
 */

const MOST_STEPS = 500;
export const EMPTY = ".";

/**
 * The rows of a text, in capitals and without blanks at their ends.
 * @param {string} text
 * @returns {string[]}
 */
export function linesOf(text) {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim().toUpperCase());
  while (lines.length && !lines[lines.length - 1]) lines.pop();
  return lines;
}

/**
 * The rows cut or grown to a size; what is new comes from `drawn`, or is empty where that has nothing.
 * @param {readonly string[]} lines
 * @param {number} rows
 * @param {number} cols
 * @param {readonly string[]} [drawn]
 * @returns {string[]}
 */
export function resized(lines, rows, cols, drawn = []) {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (_, col) => lines[row]?.[col] ?? drawn[row]?.[col] ?? EMPTY).join(""),
  );
}

export class Drawing {
  /** @type {string[]} */
  #lines;
  /** @type {string[][]} */
  #undo = [];
  /** @type {string[][]} */
  #redo = [];
  /** @type {string[] | null} */
  #before = null;

  /** @param {readonly string[]} lines */
  constructor(lines) {
    this.#lines = [...lines];
  }

  /** @returns {readonly string[]} */
  get lines() {
    return this.#lines;
  }

  get text() {
    return this.#lines.join("\n");
  }

  get canUndo() {
    return this.#undo.length > 0;
  }

  get canRedo() {
    return this.#redo.length > 0;
  }

  /** Begins a stroke: all that is painted until `end` is one step. */
  begin() {
    this.#before ??= [...this.#lines];
  }

  /**
   * Says whether the cell changed.
   * @param {number} row
   * @param {number} col
   * @param {string} letter
   */
  paint(row, col, letter) {
    const line = this.#lines[row];
    if (line === undefined || col < 0 || col >= line.length || line[col] === letter) return false;
    this.#lines[row] = line.slice(0, col) + letter + line.slice(col + 1);
    return true;
  }

  /** Ends a stroke; says whether it changed anything. */
  end() {
    const before = this.#before;
    this.#before = null;
    if (!before || before.join("\n") === this.text) return false;
    this.#remember(before);
    return true;
  }

  /**
   * Takes other rows as one step.
   * @param {readonly string[]} lines
   */
  replace(lines) {
    this.begin();
    this.#lines = [...lines];
    return this.end();
  }

  undo() {
    return this.#step(this.#undo, this.#redo);
  }

  redo() {
    return this.#step(this.#redo, this.#undo);
  }

  /**
   * @param {string[][]} from
   * @param {string[][]} to
   */
  #step(from, to) {
    this.end();
    const lines = from.pop();
    if (!lines) return false;
    to.push(this.#lines);
    this.#lines = lines;
    return true;
  }

  /** @param {string[]} before */
  #remember(before) {
    this.#undo.push(before);
    if (this.#undo.length > MOST_STEPS) this.#undo.shift();
    this.#redo = [];
  }
}
