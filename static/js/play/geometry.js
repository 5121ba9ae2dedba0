/**
 * Neighbourhood on the board. That two cells touch is geometry; whether a swap of them is legal only the server knows.
 *
 * @typedef {import("./types.js").Cell} Cell
 * @typedef {"up" | "down" | "left" | "right"} Direction
 */

/** @type {Record<Direction, Cell>} */
const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

/** @type {Record<string, Direction>} */
const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/** @param {Cell} a @param {Cell} b */
export function isSame(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}

/** @param {Cell} a @param {Cell} b */
export function isNeighbour(a, b) {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) === 1;
}

/**
 * The cell one step away, or null past the edge.
 * @param {Cell} cell @param {Direction} direction @param {number} rows @param {number} cols
 * @returns {Cell | null}
 */
export function stepFrom(cell, direction, rows, cols) {
  const row = cell[0] + STEPS[direction][0];
  const col = cell[1] + STEPS[direction][1];
  return row >= 0 && row < rows && col >= 0 && col < cols ? [row, col] : null;
}

/** @param {Cell} cell @param {number} rows @param {number} cols @returns {Cell[]} */
export function neighbours(cell, rows, cols) {
  /** @type {Direction[]} */
  const directions = ["up", "right", "down", "left"];
  return directions.map((direction) => stepFrom(cell, direction, rows, cols)).filter((found) => found !== null);
}

/** @param {string} key @returns {Direction | null} */
export function directionOfKey(key) {
  return KEYS[key] ?? null;
}

/**
 * Which way a pointer was drawn, or null while it has not gone `least` pixels.
 * @param {number} dx @param {number} dy @param {number} least
 * @returns {Direction | null}
 */
export function directionOfDrag(dx, dy, least) {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < least) return null;
  if (Math.abs(dx) >= Math.abs(dy)) return dx > 0 ? "right" : "left";
  return dy > 0 ? "down" : "up";
}

/**
 * Where a key of the grid pattern leads; stays where it is at an edge.
 * @param {Cell} cell @param {string} key @param {boolean} ctrl @param {number} rows @param {number} cols
 * @returns {Cell | null} null if the key does not move in a grid
 */
export function cellOfKey(cell, key, ctrl, rows, cols) {
  const direction = directionOfKey(key);
  if (direction) return stepFrom(cell, direction, rows, cols) ?? cell;
  if (key === "Home") return [ctrl ? 0 : cell[0], 0];
  if (key === "End") return [ctrl ? rows - 1 : cell[0], cols - 1];
  if (key === "PageUp") return [0, cell[1]];
  if (key === "PageDown") return [rows - 1, cell[1]];
  return null;
}

/**
 * Middle of some cells, in rows and columns.
 * @param {Cell[]} cells
 * @returns {[number, number]}
 */
export function middleOf(cells) {
  const sum = cells.reduce((total, cell) => [total[0] + cell[0], total[1] + cell[1]], [0, 0]);
  return [sum[0] / cells.length, sum[1] / cells.length];
}
