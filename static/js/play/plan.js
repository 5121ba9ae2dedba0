/**
 * What to draw of a move, and for how long. A step of a cascade is a clear and a fall; together they take `pace.step`.
 * Drawing is decoration: the whole never takes longer than `pace.cap`.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {{frame: Frame, duration: number}} Step
 */

const CLEAR_SHARE = 0.45;
/** The end of a game is read, not only seen. */
const BONUS_SHARE = 2.5;

/** @param {Frame} frame @param {import("./types.js").Pace} pace */
function durationOf(frame, pace) {
  switch (frame.f) {
    case "swap":
      return pace.swap;
    case "clear":
      return pace.step * CLEAR_SHARE;
    case "fall":
    case "close":
      return pace.step * (1 - CLEAR_SHARE);
    case "shuffle":
      return pace.step;
    case "bonus":
      return pace.step * BONUS_SHARE;
    default:
      return 0;
  }
}

/**
 * @param {Frame[]} frames
 * @param {import("./types.js").Pace} pace
 * @returns {Step[]}
 */
export function planSteps(frames, pace) {
  const steps = frames.map((frame) => ({ frame, duration: durationOf(frame, pace) }));
  const whole = steps.reduce((sum, step) => sum + step.duration, 0);
  if (whole <= pace.cap) return steps;
  return steps.map(({ frame, duration }) => ({ frame, duration: (duration * pace.cap) / whole }));
}
