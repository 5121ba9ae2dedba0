/**
 * Groups as the server numbers them, and the line around one. Which cells hang together and what they are worth only the
 * server knows; here it is looked up and drawn.
 *
 * @typedef {import("./types.js").Cell} Cell
 * @typedef {{cells: Cell[], worth: number}} Group
 */

export class GroupMap {
  #numbers;
  /** @type {Group[]} by number; 0 stands for the cells of no group */
  #groups;

  /**
   * @param {number[][]} numbers the group of each cell, 0 for none
   * @param {number[]} worth points by number
   */
  constructor(numbers, worth) {
    this.#numbers = numbers;
    this.#groups = worth.map((points) => ({ cells: [], worth: points }));
    numbers.forEach((line, row) => {
      line.forEach((number, col) => this.#groups[number].cells.push([row, col]));
    });
  }

  /** The group of a number. @param {number} number */
  numbered(number) {
    return this.#groups[number];
  }

  /** @param {Cell} cell @returns {Group | null} */
  at([row, col]) {
    const number = this.#numbers[row]?.[col] ?? 0;
    return number === 0 ? null : this.#groups[number];
  }
}

/**
 * The outline of some cells as an SVG path in cells: the outer edge and the edges of holes, clockwise around the cells.
 * @param {Cell[]} cells
 */
export function outlinePath(cells) {
  const inside = new Set(cells.map(String));
  /** @type {Map<string, [number, number][]>} where edges go on from a corner */
  const edges = new Map();
  /** @param {[number, number]} from @param {[number, number]} to */
  const add = (from, to) => edges.set(String(from), [...(edges.get(String(from)) ?? []), to]);
  for (const [row, col] of cells) {
    if (!inside.has(String([row - 1, col]))) add([col, row], [col + 1, row]);
    if (!inside.has(String([row, col + 1]))) add([col + 1, row], [col + 1, row + 1]);
    if (!inside.has(String([row + 1, col]))) add([col + 1, row + 1], [col, row + 1]);
    if (!inside.has(String([row, col - 1]))) add([col, row + 1], [col, row]);
  }
  let path = "";
  while (edges.size > 0) path += walkRound(edges);
  return path;
}

/**
 * Takes one closed line out of the edges. Where two lines touch in a corner it turns right and so stays with its cells.
 * @param {Map<string, [number, number][]>} edges
 */
function walkRound(edges) {
  const [first] = edges.keys();
  const start = first.split(",").map(Number);
  let here = start;
  let way = [0, 0];
  let path = "";
  do {
    const open = edges.get(String(here)) ?? [];
    const right = open.findIndex(([x, y]) => x - here[0] === -way[1] && y - here[1] === way[0]);
    const [next] = open.splice(Math.max(right, 0), 1);
    if (open.length === 0) edges.delete(String(here));
    const turned = [next[0] - here[0], next[1] - here[1]];
    if (String(turned) !== String(way)) path += `${path ? "L" : "M"}${here[0]} ${here[1]}`;
    way = turned;
    here = next;
  } while (String(here) !== String(start));
  return `${path}Z`;
}
