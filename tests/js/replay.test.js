import assert from "node:assert/strict";
import { test } from "node:test";

import { actionsAgree, cellsOf, codesBefore, paceAt, placeOf, placeOfKey, positionAt, scoreAt, waitBefore } from "../../static/js/replay/document.js";
import { legalPath } from "../../static/js/replay/legal.js";

const legal = { count: 1, swaps: [[[0, 0], [0, 1]]] };
const replay = {
  game: "match3",
  gesture: "swap",
  rows: 1,
  cols: 2,
  start: { board: ["AB"], legal },
  steps: [
    { kind: "move", anchor: "move-1", words: "", score: 60, think: 1_500, action: [[0, 0], [0, 1]], frames: [], board: ["BA"], legal },
    { kind: "attempt", anchor: "attempt-1", words: "", score: 60, think: null, action: [[0, 0], [0, 1]] },
    { kind: "move", anchor: "move-2", words: "", score: 180, think: 3_600_000, action: [0, 1], frames: [], board: ["CC"], legal },
  ],
};

test("an attempt leaves board and score as they were", () => {
  assert.deepEqual([0, 1, 2, 3].map((at) => positionAt(replay, at).board[0]), ["AB", "BA", "BA", "CC"]);
  assert.deepEqual([0, 1, 2, 3].map((at) => scoreAt(replay, at)), [0, 60, 60, 180]);
});

test("the address names a step", () => {
  assert.equal(placeOf(replay, "#move-2"), 3);
  assert.equal(placeOf(replay, "#attempt-1"), 2);
  assert.equal(placeOf(replay, "#move-9"), null);
  assert.equal(placeOf(replay, ""), null);
});

test("a step waits as long as was thought, within bounds, divided by the speed", () => {
  assert.equal(waitBefore(replay.steps[0], 2), 750);
  assert.equal(waitBefore(replay.steps[1], 1), 1_000);
  assert.equal(waitBefore(replay.steps[2], 4), 2_500);
  assert.deepEqual(paceAt(2), { swap: 90, step: 160, cap: 1_250 });
});

test("keys step, and stay within the replay", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "x"].map((key) => placeOfKey(key, 1, 3)), [0, 2, 0, 3, null]);
  assert.equal(placeOfKey("ArrowLeft", 0, 3), 0);
  assert.equal(placeOfKey("ArrowRight", 3, 3), 3);
});

test("an action names its cells, whatever the game", () => {
  assert.deepEqual(cellsOf([[0, 0], [0, 1]]), [[0, 0], [0, 1]]);
  assert.deepEqual(cellsOf([2, 3]), [[2, 3]]);
  assert.deepEqual(cellsOf(null), []);
});

test("legal actions are drawn: a bar across a swap, a line around each group", () => {
  assert.equal(legalPath(legal), "M0.74 0.5L1.26 0.5");
  assert.equal(legalPath({ count: 1, groups: [[1, 1, 0]], worth: [0, 0] }), "M0 0L2 0L2 1L0 1Z");
  assert.equal(legalPath({ count: 0, groups: [[0]], worth: [0] }), "");
});

test("codes before a place leave attempts out and say what was taken back", () => {
  const steps = [{ kind: "move", code: 5 }, { kind: "attempt" }, { kind: "undo", code: null }, { kind: "move", code: 7 }];
  assert.deepEqual(codesBefore({ steps }, 4), [5, null, 7]);
  assert.deepEqual(codesBefore({ steps }, 2), [5]);
  assert.deepEqual(codesBefore({ steps }, 0), []);
});

test("a swap is the same from either side, and any cell of a group is the group", () => {
  const swaps = { cols: 2, start: { board: ["AB", "BA"], legal }, steps: [] };
  assert.ok(actionsAgree(swaps, 0, [[0, 0], [0, 1]], [[0, 1], [0, 0]]));
  assert.ok(!actionsAgree(swaps, 0, [[0, 0], [0, 1]], [[0, 0], [1, 0]]));
  const groups = { cols: 3, start: { board: ["AAB"], legal: { count: 1, groups: [[1, 1, 0]], worth: [0, 0] } }, steps: [] };
  assert.ok(actionsAgree(groups, 0, [0, 0], [0, 1]));
  assert.ok(!actionsAgree(groups, 0, [0, 0], [0, 2]));
});
