/**
 * What the page and a game know of each other. They stand apart from the types of the messages, which name no module:
 * modules that name each other in a circle cannot be given names by their content.
 *
 * @typedef {import("../play/types.js").Action} Action
 * @typedef {import("../play/types.js").EndMessage} EndMessage
 * @typedef {import("../play/types.js").Frame} Frame
 * @typedef {import("../play/types.js").InputMode} InputMode
 * @typedef {import("../play/types.js").Pace} Pace
 *
 * @typedef {object} Table  what a gesture may use
 * @property {import("../play/board.js").Board} board
 * @property {import("../play/animate.js").Drawer} drawer
 * @property {() => boolean} isOpen whether a move may be made now
 * @property {() => boolean} skip ends a drawing under way; false if there was none
 * @property {(action: Action, input: InputMode) => void} wish
 * @property {(words: string) => void} preview what the move that is shown would do; empty where none is
 *
 * @typedef {object} Gesture  how a person says what to play
 * @property {(state: {groups?: number[][], worth?: number[]}) => void} see what may be played on the board that comes
 * @property {() => void} opened a move may be made now
 * @property {() => void} reset drops what is half done
 * @property {() => void} end lets go of the board
 *
 * @typedef {object} GameModule  what every file of `static/js/games` exports
 * @property {(frames: Frame[], pace: Pace) => import("../play/plan.js").Step[]} planSteps
 * @property {(left: number) => string} leftText
 * @property {(used: number, left: number) => number} wholeMoves moves of the round in all; 0 where there is no limit
 * @property {(end: EndMessage) => string} overWords
 * @property {(drawer: import("../play/animate.js").Drawer, action: Action) => void} hold
 * @property {(drawer: import("../play/animate.js").Drawer, action: Action) => Promise<void> | undefined} refuse
 * @property {new (table: Table) => Gesture} Gesture
 */

export {};
