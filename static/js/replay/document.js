/**
 * What a replay is made of, and what can be said of it without a page: positions, waits, places in the address.
 *
 * @typedef {import("../play/types.js").Frame} Frame
 * @typedef {import("../play/types.js").Action} Action
 * @typedef {import("../play/types.js").Pace} Pace
 * @typedef {{count: number, swaps?: [import("../play/types.js").Cell, import("../play/types.js").Cell][],
 *   groups?: number[][], worth?: number[]}} Legal
 * @typedef {{board: string[], legal: Legal}} Position
 *
 * @typedef {object} ReplayStep
 * @property {"move" | "undo" | "attempt"} kind
 * @property {string} anchor what names it in the address
 * @property {string} words
 * @property {number} score afterwards
 * @property {number | null} think milliseconds, null where they are not known
 * @property {Action | null} action
 * @property {number | null} [code] the engine's, of a move
 * @property {Frame[]} [frames] an attempt has none, nor the two below: it changes nothing
 * @property {string[]} [board]
 * @property {Legal} [legal]
 *
 * @typedef {object} ReplayDocument
 * @property {object} level the level file
 * @property {string} game
 * @property {"swap" | "group"} gesture
 * @property {number} rows
 * @property {number} cols
 * @property {Position} start
 * @property {ReplayStep[]} steps
 */

/** Milliseconds that a step waits for where nobody knows how long was thought. */
const THINK_UNKNOWN = 1_000;
const THINK_LEAST = 250;
/** Who went away for an hour is not waited for. */
const THINK_MOST = 10_000;
const PACE = { swap: 180, step: 320, cap: 2_500 };

/**
 * Board and legal actions after so many steps.
 * @param {ReplayDocument} replay @param {number} at
 * @returns {Position}
 */
export function positionAt(replay, at) {
  for (let index = at - 1; index >= 0; index -= 1) {
    const { board, legal } = replay.steps[index];
    if (board && legal) return { board, legal };
  }
  return replay.start;
}

/** @param {ReplayDocument} replay @param {number} at */
export function scoreAt(replay, at) {
  return at === 0 ? 0 : replay.steps[at - 1].score;
}

/**
 * How many steps are done when the one that the address names is: `#move-7`. Null if it names none.
 * @param {ReplayDocument} replay @param {string} hash
 */
export function placeOf(replay, hash) {
  const index = replay.steps.findIndex((step) => `#${step.anchor}` === hash);
  return index < 0 ? null : index + 1;
}

/**
 * How long to wait before a step is shown.
 * @param {ReplayStep} step @param {number} speed
 */
export function waitBefore(step, speed) {
  return Math.min(Math.max(step.think ?? THINK_UNKNOWN, THINK_LEAST), THINK_MOST) / speed;
}

/** @param {number} speed @returns {Pace} */
export function paceAt(speed) {
  return { swap: PACE.swap / speed, step: PACE.step / speed, cap: PACE.cap / speed };
}

/**
 * The cells that an action names.
 * @param {Action | null} action
 * @returns {import("../play/types.js").Cell[]}
 */
export function cellsOf(action) {
  if (!action) return [];
  return /** @type {import("../play/types.js").Cell[]} */ (Array.isArray(action[0]) ? action : [action]);
}

/**
 * Where a key leads: to so many steps done. Null if it is none of the replay's.
 * @param {string} key @param {number} at @param {number} length
 */
export function placeOfKey(key, at, length) {
  switch (key) {
    case "ArrowLeft":
      return Math.max(at - 1, 0);
    case "ArrowRight":
      return Math.min(at + 1, length);
    case "Home":
      return 0;
    case "End":
      return length;
    default:
      return null;
  }
}

/**
 * The codes of the moves before a place, null where one was taken back. An attempt is none.
 * @param {ReplayDocument} replay @param {number} at
 */
export function codesBefore(replay, at) {
  const made = replay.steps.slice(0, at).filter((step) => step.kind !== "attempt");
  return made.map((step) => step.code ?? null);
}

/**
 * Whether two actions at a place do the same: the same swap from either side, or any two cells of one group.
 * @param {ReplayDocument} replay @param {number} at @param {Action} one @param {Action | null} other
 */
export function actionsAgree(replay, at, one, other) {
  const { groups } = positionAt(replay, at).legal;
  const place = (/** @type {import("../play/types.js").Cell} */ [row, col]) => (groups ? groups[row][col] || -1 - row * replay.cols - col : row * replay.cols + col);
  const named = (/** @type {Action | null} */ action) => cellsOf(action).map(place).sort((a, b) => a - b).join();
  return named(one) === named(other);
}
