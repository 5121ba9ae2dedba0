/** Every word that the page itself says; what a move did, the server says. */

import { gettext, language, ngettext } from "./words.js";

const numbers = new Intl.NumberFormat(language);

/** @type {Record<string, string>} */
const PIECES = {
  A: gettext("vermilion circle"),
  B: gettext("sky square"),
  C: gettext("deep teal triangle"),
  D: gettext("violet diamond"),
  E: gettext("pale mint star"),
  F: gettext("gold hexagon"),
  G: gettext("sage plus"),
  H: gettext("lavender crescent"),
  I: gettext("slate ring"),
};

/** @param {number} value */
export function number(value) {
  return numbers.format(value);
}

/** @param {number} count */
function points(count) {
  return ngettext("%(count)s point", "%(count)s points", count, { count: number(count) });
}

/**
 * Name of a cell.
 * @param {import("./types.js").Cell} cell @param {string} piece @param {boolean} isPicked
 */
export function cellName([row, col], piece, isPicked) {
  const values = { row: row + 1, col: col + 1, piece: PIECES[piece] ?? gettext("empty") };
  return isPicked
    ? gettext("Row %(row)s, column %(col)s, %(piece)s, picked up", values)
    : gettext("Row %(row)s, column %(col)s, %(piece)s", values);
}

/**
 * Name of a cell where groups are removed.
 * @param {import("./types.js").Cell} cell @param {string} piece
 * @param {import("./groups.js").Group | null} group @param {boolean} isChosen
 */
export function groupCellName(cell, piece, group, isChosen) {
  const name = cellName(cell, piece, false);
  if (piece === ".") return name;
  if (!group) return gettext("%(cell)s, single", { cell: name });
  const values = { cell: name, count: group.cells.length, points: points(group.worth) };
  return isChosen
    ? gettext("%(cell)s, group of %(count)s, %(points)s, chosen", values)
    : gettext("%(cell)s, group of %(count)s, %(points)s", values);
}

/** @param {number} value */
function signed(value) {
  return value < 0 ? `−${number(-value)}` : `+${number(value)}`;
}

/** @param {[string, number]} entry a letter and how many of it */
function pieces([letter, count]) {
  const values = { count: number(count) };
  switch (letter) {
    case "A":
      return ngettext("%(count)s vermilion circle", "%(count)s vermilion circles", count, values);
    case "B":
      return ngettext("%(count)s sky square", "%(count)s sky squares", count, values);
    case "C":
      return ngettext("%(count)s deep teal triangle", "%(count)s deep teal triangles", count, values);
    case "D":
      return ngettext("%(count)s violet diamond", "%(count)s violet diamonds", count, values);
    case "E":
      return ngettext("%(count)s pale mint star", "%(count)s pale mint stars", count, values);
    case "F":
      return ngettext("%(count)s gold hexagon", "%(count)s gold hexagons", count, values);
    case "G":
      return ngettext("%(count)s sage plus", "%(count)s sage pluses", count, values);
    case "H":
      return ngettext("%(count)s lavender crescent", "%(count)s lavender crescents", count, values);
    case "I":
      return ngettext("%(count)s slate ring", "%(count)s slate rings", count, values);
    default:
      return ngettext("%(count)s piece", "%(count)s pieces", count, values);
  }
}

const list = new Intl.ListFormat(language, { type: "conjunction" });

export const texts = {
  /** @param {number} rows @param {number} cols */
  board: (rows, cols) =>
    ngettext("Board, %(rows)s rows, %(cols)s column", "Board, %(rows)s rows, %(cols)s columns", cols, { rows, cols }),
  /** @param {number} n @param {number} of */
  round: (n, of) => gettext("Round %(n)s of %(of)s", { n, of }),
  practice: gettext("Practice round"),
  /** @param {number} left */
  movesLeft: (left) => ngettext("%(count)s move left", "%(count)s moves left", left, { count: number(left) }),
  /** @param {number} used @param {number} whole */
  movesUsed: (used, whole) =>
    ngettext("%(used)s of %(whole)s move made", "%(used)s of %(whole)s moves made", whole, {
      used: number(used),
      whole: number(whole),
    }),
  /** @param {number} value */
  lastMove: (value) => gettext("Last move %(points)s", { points: signed(value) }),
  /** @param {number} value */
  undone: (value) => gettext("Taken back %(points)s", { points: signed(value) }),
  /** @param {number} value */
  points: signed,
  /** @param {number} left */
  groupsLeft: (left) => ngettext("%(count)s group left", "%(count)s groups left", left, { count: number(left) }),
  /** @param {number} cells @param {number} worth */
  group: (cells, worth) =>
    gettext("Group of %(count)s: %(points)s", { count: number(cells), points: points(worth) }),
  tapAgain: gettext("Tap it again to remove it."),
  /** @param {number} times */
  times: (times) => `×${times}`,
  save: {
    saved: gettext("Saved"),
    saving: gettext("Saving"),
    unsaved: gettext("Not saved yet"),
    connecting: gettext("Connecting"),
    offline: gettext("Offline"),
    stopped: gettext("Stopped"),
  },
  offline: gettext("Offline. Your game is kept."),
  advice: gettext(
    "Still offline. Your game is kept. Some networks block this kind of connection: try another one, such as your phone's.",
  ),
  online: gettext("Connected."),
  storage: gettext("Your last move is not saved yet. We keep trying; please wait."),
  motionAsked: gettext("Your device asks for less motion, so the pieces do not move."),
  /** @param {number} n @param {number} of */
  overTitle: (n, of) => (n === of ? gettext("That was the last round") : gettext("Round %(n)s is over", { n })),
  overPractice: gettext("Practice is over"),
  overScore: gettext("points"),
  goOn: gettext("Continue"),
  /** @type {Record<string, string>} */
  overReasons: {
    moves: gettext("You have used all your moves."),
    stuck: gettext("There was no move left."),
    time: gettext("The time for this round is up."),
    left: gettext("This round was ended."),
  },
  /** @param {number} bonus */
  cleared: (bonus) =>
    ngettext(
      "You cleared the board: %(count)s point on top.",
      "You cleared the board: %(count)s points on top.",
      bonus,
      { count: number(bonus) },
    ),
  /** @param {Record<string, number>} left how many of each letter @param {number} cost */
  piecesLeft: (left, cost) => {
    const values = { pieces: list.format(Object.entries(left).map(pieces)), points: points(cost) };
    return cost
      ? gettext("No group was left. %(pieces)s stayed behind, which cost %(points)s.", values)
      : gettext("No group was left. %(pieces)s stayed behind, which cost nothing.", values);
  },
  taken: {
    title: gettext("Your game is open somewhere else"),
    words: gettext("It goes on there, and nothing is lost. You can also bring it here."),
    button: gettext("Play here"),
  },
  reload: {
    title: gettext("The connection does not work as it should"),
    words: gettext("Everything up to your last saved move is kept. Reload the page to go on."),
    button: gettext("Reload"),
  },
  identity: {
    title: gettext("We do not know this browser"),
    words: gettext(
      "Please open the link of your study again. It brings you back to where you were, if this browser keeps cookies.",
    ),
    button: gettext("Open the study"),
  },
};
