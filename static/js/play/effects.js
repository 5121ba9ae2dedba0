/**
 * What a match leaves for a moment: splinters in its own colour, and its points. They lie above the board, last a little
 * longer than the step and hold nothing up.
 */

import { middleOf } from "./geometry.js";
import { texts } from "./texts.js";

const SPLINTERS = 6;
/** Splinters of one step together: a group of half a board shall not cost more than it shows. */
const SPLINTERS_AT_MOST = 150;
const BURST = 320;
const POINTS = 900;
const COME_AND_GO = [
  { transform: "translateY(4px) scale(0.8)", opacity: 0 },
  { transform: "none", opacity: 1, offset: 0.14 },
  { transform: "none", opacity: 1, offset: 0.7 },
  { transform: "translateY(-10px)", opacity: 0 },
];

/**
 * @param {import("./board.js").Board} board
 * @param {import("./types.js").Cell} cell
 * @param {string} piece
 * @param {{x: number, y: number}} pitch
 * @param {number} cells how many burst at this moment
 */
export function burst(board, cell, piece, { x, y }, cells) {
  const count = Math.max(1, Math.min(SPLINTERS, Math.floor(SPLINTERS_AT_MOST / cells)));
  for (let index = 0; index < count; index += 1) {
    const splinter = place(board, "splinter", cell);
    splinter.dataset.piece = piece;
    const angle = ((index + 0.5 * ((cell[0] + cell[1]) % 2)) / count) * 2 * Math.PI;
    const far = `translate(${Math.cos(angle) * x * 0.78}px, ${Math.sin(angle) * y * 0.78}px) rotate(120deg) scale(0.4)`;
    show(
      splinter,
      [{ transform: "scale(1)", opacity: 1 }, { opacity: 1, offset: 0.6 }, { transform: far, opacity: 0 }],
      BURST,
    );
  }
}

/**
 * @param {import("./board.js").Board} board
 * @param {import("./types.js").Match} match
 * @param {number} mult
 */
export function showPoints(board, match, mult) {
  const label = place(board, "points", middleOf(match.cells));
  label.append(texts.points(match.points));
  if (mult > 1) {
    const times = document.createElement("b");
    times.textContent = texts.times(mult);
    label.append(times);
  }
  show(label, COME_AND_GO, POINTS);
}

/**
 * What the end of a game adds or takes, in the middle of the board.
 * @param {import("./board.js").Board} board @param {number} points @param {number} duration
 */
export function showBonus(board, points, duration) {
  const label = place(board, "points points--bonus", [(board.rows - 1) / 2, (board.cols - 1) / 2]);
  label.textContent = texts.points(points);
  show(label, COME_AND_GO, Math.max(duration, POINTS));
  return label;
}

/**
 * @param {import("./board.js").Board} board @param {string} name @param {[number, number]} cell may lie between cells
 */
function place(board, name, [row, col]) {
  const element = document.createElement("span");
  element.className = name;
  element.style.left = `${((col + 0.5) / board.cols) * 100}%`;
  element.style.top = `${((row + 0.5) / board.rows) * 100}%`;
  board.effects.append(element);
  return element;
}

/** @param {HTMLElement} element @param {Keyframe[]} path @param {number} duration */
function show(element, path, duration) {
  element.animate(path, { duration, easing: "ease-out", fill: "both" });
  setTimeout(() => element.remove(), duration);
}
