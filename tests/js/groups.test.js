import assert from "node:assert/strict";
import { test } from "node:test";

import { GroupMap, outlinePath } from "../../static/js/play/groups.js";

test("every cell of a group leads to the same group, any other to none", () => {
  const map = new GroupMap([[1, 1, 0], [0, 1, 2], [0, 0, 2]], [0, 1, 0]);
  const group = map.at([0, 0]);
  assert.deepEqual(group, { cells: [[0, 0], [0, 1], [1, 1]], worth: 1 });
  assert.equal(map.at([1, 1]), group);
  assert.deepEqual(map.at([2, 2]), { cells: [[1, 2], [2, 2]], worth: 0 });
  assert.equal(map.at([0, 2]), null);
  assert.equal(map.at([7, 7]), null);
});

test("a board that is over has no group", () => {
  assert.equal(new GroupMap([[0, 0], [0, 0]], [0]).at([0, 0]), null);
});

test("the outline of one cell is its square, of a row one rectangle with four corners", () => {
  assert.equal(outlinePath([[2, 3]]), "M3 2L4 2L4 3L3 3Z");
  assert.equal(outlinePath([[0, 0], [0, 1], [0, 2]]), "M0 0L3 0L3 1L0 1Z");
});

test("an L has six corners", () => {
  const path = outlinePath([[0, 0], [1, 0], [1, 1]]);
  assert.equal(path, "M0 0L1 0L1 1L2 1L2 2L0 2Z");
});

test("a ring has an outer and an inner line", () => {
  const ring = [];
  for (let row = 0; row < 3; row += 1) {
    for (let col = 0; col < 3; col += 1) if (row !== 1 || col !== 1) ring.push([row, col]);
  }
  const lines = outlinePath(ring).split("Z").filter(Boolean);
  assert.deepEqual(lines, ["M0 0L3 0L3 3L0 3", "M2 1L1 1L1 2L2 2"]);
});

test("where two holes touch in a corner the line stays with its cells", () => {
  // Holes at 1,1 and 2,2 of a square of four by four.
  const cells = [];
  for (let row = 0; row < 4; row += 1) {
    for (let col = 0; col < 4; col += 1) {
      if (!(row === 1 && col === 1) && !(row === 2 && col === 2)) cells.push([row, col]);
    }
  }
  const lines = outlinePath(cells).split("Z").filter(Boolean);
  const length = (line) => line.slice(1).split("L").length;
  assert.deepEqual(lines.map(length).toSorted((a, b) => a - b), [4, 8]);
});
