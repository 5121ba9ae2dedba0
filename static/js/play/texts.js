/** Every word that the page itself says; what a move did, the server says. */

const language = document.documentElement.lang || "en";
const numbers = new Intl.NumberFormat(language);

/** @type {Record<string, string>} */
const PIECES = {
  A: "vermilion circle",
  B: "sky square",
  C: "deep teal triangle",
  D: "violet diamond",
  E: "pale mint star",
  F: "gold hexagon",
  G: "sage plus",
  H: "lavender crescent",
  I: "slate ring",
};

/** @param {number} value */
export function number(value) {
  return numbers.format(value);
}

/** @param {number} count @param {string} one @param {string} many */
function counted(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/**
 * Name of a cell.
 * @param {import("./types.js").Cell} cell @param {string} piece @param {boolean} isPicked
 */
export function cellName([row, col], piece, isPicked) {
  const name = `Row ${row + 1}, column ${col + 1}, ${PIECES[piece] ?? "empty"}`;
  return isPicked ? `${name}, picked up` : name;
}

/**
 * Name of a cell where groups are removed.
 * @param {import("./types.js").Cell} cell @param {string} piece
 * @param {import("./groups.js").Group | null} group @param {boolean} isChosen
 */
export function groupCellName(cell, piece, group, isChosen) {
  const name = cellName(cell, piece, false);
  if (piece === ".") return name;
  if (!group) return `${name}, single`;
  const named = `${name}, group of ${group.cells.length}, ${counted(group.worth, "point", "points")}`;
  return isChosen ? `${named}, chosen` : named;
}

/** @param {number} points */
function signed(points) {
  return points < 0 ? `−${number(-points)}` : `+${number(points)}`;
}

/** @param {[string, number]} entry a letter and how many of it */
function pieces([letter, count]) {
  const name = PIECES[letter] ?? "piece";
  return counted(count, name, name.endsWith("s") ? `${name}es` : `${name}s`);
}

const list = new Intl.ListFormat(language, { type: "conjunction" });

export const texts = {
  /** @param {number} rows @param {number} cols */
  board: (rows, cols) => `Board, ${rows} rows, ${cols} columns`,
  /** @param {number} n @param {number} of */
  round: (n, of) => `Round ${n} of ${of}`,
  practice: "Practice round",
  /** @param {number} left */
  movesLeft: (left) => counted(left, "move left", "moves left"),
  /** @param {number} used @param {number} whole */
  movesUsed: (used, whole) => `${number(used)} of ${counted(whole, "move", "moves")} made`,
  /** @param {number} points */
  lastMove: (points) => `Last move ${signed(points)}`,
  /** @param {number} points */
  undone: (points) => `Taken back ${signed(points)}`,
  /** @param {number} points */
  points: signed,
  /** @param {number} left */
  groupsLeft: (left) => counted(left, "group left", "groups left"),
  /** @param {number} cells @param {number} worth */
  group: (cells, worth) => `Group of ${number(cells)}: ${counted(worth, "point", "points")}`,
  tapAgain: "Tap it again to remove it.",
  /** @param {number} times */
  times: (times) => `×${times}`,
  save: {
    saved: "Saved",
    saving: "Saving",
    unsaved: "Not saved yet",
    connecting: "Connecting",
    offline: "Offline",
    stopped: "Stopped",
  },
  offline: "Offline. Your game is kept.",
  advice: "Still offline. Your game is kept. Some networks block this kind of connection: try another one, such as your phone's.",
  online: "Connected.",
  storage: "Your last move is not saved yet. We keep trying; please wait.",
  motionAsked: "Your device asks for less motion, so the pieces do not move.",
  /** @param {number} n @param {number} of */
  overTitle: (n, of) => (n === of ? "That was the last round" : `Round ${n} is over`),
  overPractice: "Practice is over",
  overScore: "points",
  goOn: "Continue",
  /** @type {Record<string, string>} */
  overReasons: {
    moves: "You have used all your moves.",
    stuck: "There was no move left.",
    time: "The time for this round is up.",
    left: "This round was ended.",
  },
  /** @param {number} points */
  cleared: (points) => `You cleared the board: ${number(points)} points on top.`,
  /** @param {Record<string, number>} left how many of each letter @param {number} cost */
  piecesLeft: (left, cost) =>
    `No group was left. ${list.format(Object.entries(left).map(pieces))} stayed behind, ` +
    (cost ? `which cost ${counted(cost, "point", "points")}.` : "which cost nothing."),
  taken: {
    title: "Your game is open somewhere else",
    words: "It goes on there, and nothing is lost. You can also bring it here.",
    button: "Play here",
  },
  reload: {
    title: "The connection does not work as it should",
    words: "Everything up to your last saved move is kept. Reload the page to go on.",
    button: "Reload",
  },
  identity: {
    title: "We do not know this browser",
    words: "Please open the link of your study again. It brings you back to where you were, if this browser keeps cookies.",
    button: "Open the study",
  },
};
