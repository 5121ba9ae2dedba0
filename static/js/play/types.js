/**
 * The messages of the play protocol and the shapes that the modules of this folder share.
 * `docs/` and the server's own checks say what each field means; here are only their types.
 *
 * @typedef {[number, number]} Cell  row and column, row 0 on top
 * @typedef {"drag" | "click" | "key" | "touch"} InputMode
 * @typedef {{swap: number, step: number, cap: number}} Pace  milliseconds: a swap, a step of a cascade, the whole at most
 *
 * @typedef {{f: "swap", a: Cell, b: Cell}} SwapFrame
 * @typedef {{cells: Cell[], piece: string, points: number}} Match
 * @typedef {{f: "clear", step: number, mult: number, matches: Match[], gained: number}} ClearFrame
 * @typedef {{f: "fall", moves: [number, number, number, number][], new?: [number, number, string, number][]}} FallFrame
 * @typedef {{f: "shuffle", redrawn: boolean, board: string[]}} ShuffleFrame
 * @typedef {{f: "set", board: string[]}} SetFrame
 * @typedef {{f: "close", moves: [number, number][]}} CloseFrame  columns that shift: from, to
 * @typedef {{points: number, why: "empty" | "left", by?: Record<string, number>}} Bonus  by: pieces left, by letter
 * @typedef {{f: "bonus"} & Bonus} BonusFrame
 * @typedef {SwapFrame | ClearFrame | FallFrame | ShuffleFrame | SetFrame | CloseFrame | BonusFrame} Frame
 * @typedef {Cell | [Cell, Cell]} Action  a cell of a group, or the two cells of a swap
 *
 * @typedef {{reason: "moves" | "stuck" | "time" | "left"}} Over
 * @typedef {{left_ms: number, warn_ms: number, more_ms: number, more_left: number}} Limit  more_left: how often more
 *   time may still be had
 *
 * @typedef {object} StateMessage
 * @property {"state"} t
 * @property {number} epoch
 * @property {boolean} owner
 * @property {string} round
 * @property {number} n
 * @property {number} of
 * @property {"practice" | "scored"} purpose
 * @property {string} game
 * @property {number} rows
 * @property {number} cols
 * @property {string[]} board
 * @property {number} seq
 * @property {{seq: number, id: string} | null} last
 * @property {number[][]} [groups] number of each cell's group, 0 for none; only in games with groups
 * @property {number[]} [worth] points by number of group
 * @property {number} score
 * @property {number} left moves until the limit; in games without one, actions that may be played now
 * @property {number} used moves that stand: those taken back are not among them
 * @property {boolean} undo whether the last move may be taken back
 * @property {number | null} [hint_after] seconds without a touch of the board until a hint is shown
 * @property {Over | null} over
 * @property {Pace} anim
 * @property {Limit | null} limit
 * @property {string[]} [checks] in practice, what was tried so far
 * @property {boolean} [go_on] in practice, whether that is enough
 * @property {string} say
 *
 * @typedef {object} AckMessage
 * @property {"ack"} t
 * @property {string} round
 * @property {number} seq
 * @property {string} id
 * @property {boolean} dup
 * @property {number} gained
 * @property {number} score
 * @property {number} left
 * @property {number} used
 * @property {Frame[]} frames
 * @property {string[]} board
 * @property {number[][]} [groups]
 * @property {number[]} [worth]
 * @property {string[]} [checks]
 * @property {boolean} [go_on]
 * @property {Over | null} over
 * @property {string} say
 *
 * @typedef {object} RejectMessage
 * @property {"reject"} t
 * @property {string} round
 * @property {number} seq
 * @property {string} id
 * @property {string} reason
 * @property {number | null} retry_ms
 * @property {string[]} [checks]
 * @property {boolean} [go_on]
 * @property {string} say
 *
 * @typedef {{t: "hint", round: string, seq: number, cells: Cell[], say: string}} HintMessage  of the board after `seq`
 * @typedef {{t: "end", round: string, reason: string, score: number, bonus: Bonus | null, next: string}} EndMessage
 * @typedef {Limit & {t: "limit", round: string, say: string}} LimitMessage
 * @typedef {{t: "error", code: string, say: string, fatal: boolean}} ErrorMessage
 *
 * @typedef {object} ActMessage
 * @property {"act"} t
 * @property {string} round
 * @property {number} seq
 * @property {string} id
 * @property {Action | "undo"} action
 * @property {number} think
 * @property {number} anim
 * @property {number} hidden
 * @property {InputMode} input
 *
 * @typedef {object} Status  what the page shows of the connection
 * @property {"connecting" | "online" | "waiting" | "stopped"} link
 * @property {boolean} saving  an action has been open for long enough to say so
 * @property {boolean} unsaved  the server said that it could not store the open action yet
 * @property {boolean} banner  the link has been down for long enough to say so
 * @property {boolean} advice  ... for so long that something between here and the server may forbid WebSockets
 *
 * @typedef {"reload" | "identity" | "taken" | "ended" | "finished" | "version"} StopReason
 *
 * @typedef {object} Handlers
 * @property {(message: StateMessage) => void} state
 * @property {(message: AckMessage) => void} ack
 * @property {(message: RejectMessage) => void} reject
 * @property {(message: EndMessage) => void} end
 * @property {(message: LimitMessage) => void} limit
 * @property {(message: HintMessage) => void} hint
 * @property {(message: ErrorMessage) => void} error
 * @property {(status: Status) => void} status
 * @property {(reason: StopReason) => void} stopped
 *
 * @typedef {object} PlayConfig  what the page is given in `play-config`
 * @property {string} ws
 * @property {string} home
 * @property {string} build
 *
 * @typedef {object} Environment  of a connection: the browser's, or a test's
 * @property {(url: string, protocol: string) => WebSocket} open
 * @property {import("./clock.js").Clock} clock
 * @property {() => number} random from 0 to 1
 * @property {(length: number) => string} name
 */

export {};
