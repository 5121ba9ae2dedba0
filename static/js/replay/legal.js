/** The legal actions of a moment, drawn over the board: a bar across each swap, a line around each group. */

import { GroupMap, outlinePath } from "../play/groups.js";

const SVG = "http://www.w3.org/2000/svg";
/** How much of the way between the middles of two pieces a bar takes, from each side. */
const BAR_STARTS = 0.24;

/**
 * The lines as an SVG path in cells.
 * @param {import("./document.js").Legal} legal
 */
export function legalPath(legal) {
  if (legal.swaps) return legal.swaps.map(barPath).join("");
  const groups = new GroupMap(legal.groups ?? [], legal.worth ?? [0]);
  const numbers = new Set((legal.groups ?? []).flat().filter(Boolean));
  return Array.from(numbers, (number) => outlinePath(groups.numbered(number).cells)).join("");
}

/** @param {[import("../play/types.js").Cell, import("../play/types.js").Cell]} swap */
function barPath([a, b]) {
  const [down, across] = [b[0] - a[0], b[1] - a[1]];
  const from = [a[1] + 0.5 + across * BAR_STARTS, a[0] + 0.5 + down * BAR_STARTS];
  const to = [b[1] + 0.5 - across * BAR_STARTS, b[0] + 0.5 - down * BAR_STARTS];
  return `M${from[0]} ${from[1]}L${to[0]} ${to[1]}`;
}

export class LegalMark {
  #board;
  #picture = document.createElementNS(SVG, "svg");

  /** @param {import("../play/board.js").Board} board */
  constructor(board) {
    this.#board = board;
    this.#picture.setAttribute("class", "legal");
    this.#picture.setAttribute("preserveAspectRatio", "none");
    for (const name of ["legal__under", "legal__line"]) {
      const line = document.createElementNS(SVG, "path");
      line.setAttribute("class", name);
      this.#picture.append(line);
    }
  }

  /** @param {import("./document.js").Legal} legal */
  show(legal) {
    this.#picture.setAttribute("viewBox", `0 0 ${this.#board.cols} ${this.#board.rows}`);
    const path = legalPath(legal);
    for (const line of this.#picture.children) line.setAttribute("d", path);
    this.#board.effects.append(this.#picture);
  }

  hide() {
    this.#picture.remove();
  }
}
