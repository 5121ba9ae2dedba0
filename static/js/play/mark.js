/** The line around a group, and what the group is worth beside it. It lies above the board and takes no pointer. */

import { outlinePath } from "./groups.js";

const SVG = "http://www.w3.org/2000/svg";
const LINES = ["mark__under", "mark__line"];

export class Mark {
  #board;
  #root = document.createElement("div");
  #picture = document.createElementNS(SVG, "svg");
  #worth = document.createElement("span");
  /** @type {HTMLElement[]} */
  #lit = [];

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.#board = board;
    this.#root.className = "mark";
    this.#worth.className = "mark__worth";
    this.#picture.setAttribute("preserveAspectRatio", "none");
    this.#picture.append(
      ...LINES.map((name) => {
        const line = document.createElementNS(SVG, "path");
        line.setAttribute("class", name);
        return line;
      }),
    );
    this.#root.append(this.#picture, this.#worth);
  }

  /**
   * @param {import("./types.js").Cell[]} cells
   * @param {string} worth
   * @param {boolean} isChosen whether the next touch removes the group
   */
  show(cells, worth, isChosen) {
    this.hide();
    const { rows, cols } = this.#board;
    this.#picture.setAttribute("viewBox", `0 0 ${cols} ${rows}`);
    const path = outlinePath(cells);
    for (const line of this.#picture.children) line.setAttribute("d", path);
    this.#worth.textContent = worth;
    const top = Math.min(...cells.map(([row]) => row));
    const columns = cells.filter(([row]) => row === top).map(([, col]) => col + 0.5);
    const bottom = Math.max(...cells.map(([row]) => row)) + 1;
    // Above the group, or below one that reaches the top; never over an edge, where the board ends.
    const isBelow = top === 0;
    const middle = columns[Math.floor(columns.length / 2)];
    this.#worth.style.top = `${((isBelow ? bottom : top) / rows) * 100}%`;
    this.#worth.style.left = `clamp(1.6rem, ${(middle / cols) * 100}%, 100% - 1.6rem)`;
    this.#worth.classList.toggle("is-below", isBelow);
    this.#root.classList.toggle("is-chosen", isChosen);
    this.#lit = cells.map((cell) => this.#board.button(cell));
    for (const button of this.#lit) button.classList.add("is-lit");
    this.#board.effects.append(this.#root);
  }

  hide() {
    for (const button of this.#lit) button.classList.remove("is-lit");
    this.#lit = [];
    this.#root.remove();
  }
}
