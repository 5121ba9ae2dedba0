import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { documentElement: { lang: "en" } };
const { leftText, overWords, planSteps, wholeMoves } = await import("../../static/js/games/samegame.js");
const { groupCellName, texts } = await import("../../static/js/play/texts.js");

const PACE = { swap: 180, step: 320, cap: 2500 };
const clear = { f: "clear", step: 1, mult: 1, matches: [], gained: 9 };
const end = (bonus, reason = "stuck") => ({ t: "end", round: "1.1", reason, score: 0, bonus, next: "" });

test("nothing is waited for where nothing falls, and columns that close up take the time of a fall", () => {
  const close = { f: "close", moves: [[2, 1]] };
  assert.deepEqual(planSteps([clear, { f: "fall", moves: [] }], PACE).map((step) => step.frame), [clear]);
  const steps = planSteps([clear, { f: "fall", moves: [[0, 0, 1, 0]] }, close], PACE);
  assert.equal(steps.length, 3);
  assert.equal(steps[1].duration, steps[2].duration);
});

test("the bonus of the end is shown long enough to be read", () => {
  const steps = planSteps([{ f: "bonus", points: 1000, why: "empty" }], PACE);
  assert.equal(steps[0].duration, 800);
});

test("what is left are groups, and there is no row of dots", () => {
  assert.equal(leftText(1), "1 group left");
  assert.equal(leftText(21), "21 groups left");
  assert.equal(wholeMoves(), 0);
});

test("the end says what it added or took, piece by piece", () => {
  assert.equal(overWords(end({ points: 1000, why: "empty" })), "You cleared the board: 1,000 points on top.");
  assert.equal(
    overWords(end({ points: -5, why: "left", by: { B: 3, C: 4, G: 2 } })),
    "No group was left. 3 sky squares, 4 deep teal triangles, and 2 sage pluses stayed behind, which cost 5 points.",
  );
  assert.equal(
    overWords(end({ points: -1, why: "left", by: { A: 1 } })),
    "No group was left. 1 vermilion circle stayed behind, which cost 1 point.",
  );
  assert.match(overWords(end({ points: 0, why: "left", by: { A: 2 } })), /which cost nothing\.$/);
  assert.equal(overWords(end(null, "time")), "The time for this round is up.");
});

test("a cell is called by its place, its piece and its group", () => {
  const group = { cells: [[2, 3], [2, 4], [3, 3], [3, 4], [4, 4]], worth: 9 };
  assert.equal(groupCellName([2, 3], "A", group, false), "Row 3, column 4, vermilion circle, group of 5, 9 points");
  assert.equal(groupCellName([2, 3], "A", group, true), "Row 3, column 4, vermilion circle, group of 5, 9 points, chosen");
  assert.equal(groupCellName([0, 0], "B", null, false), "Row 1, column 1, sky square, single");
  assert.equal(groupCellName([0, 0], ".", null, false), "Row 1, column 1, empty");
});

test("points carry their sign", () => {
  assert.equal(texts.points(1000), "+1,000");
  assert.equal(texts.lastMove(-5), "Last move −5");
  assert.equal(texts.lastMove(0), "Last move +0");
});
