import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cellOfKey,
  directionOfDrag,
  isNeighbour,
  middleOf,
  neighbours,
  stepFrom,
} from "../../static/js/play/geometry.js";

test("neighbours share a side, not a corner", () => {
  assert.ok(isNeighbour([2, 3], [3, 3]));
  assert.ok(isNeighbour([2, 3], [2, 2]));
  assert.ok(!isNeighbour([2, 3], [3, 4]));
  assert.ok(!isNeighbour([2, 3], [2, 3]));
  assert.ok(!isNeighbour([2, 3], [2, 5]));
});

test("a corner has two neighbours and an inner cell four", () => {
  assert.deepEqual(neighbours([0, 0], 3, 4), [[0, 1], [1, 0]]);
  assert.equal(neighbours([1, 1], 3, 4).length, 4);
});

test("a step past the edge leads nowhere", () => {
  assert.equal(stepFrom([0, 2], "up", 7, 7), null);
  assert.equal(stepFrom([6, 2], "down", 7, 7), null);
  assert.equal(stepFrom([3, 6], "right", 7, 7), null);
  assert.deepEqual(stepFrom([3, 6], "left", 7, 7), [3, 5]);
});

test("a drag counts along its longer axis once it is long enough", () => {
  assert.equal(directionOfDrag(3, 2, 6), null);
  assert.equal(directionOfDrag(9, -4, 6), "right");
  assert.equal(directionOfDrag(-9, 8, 6), "left");
  assert.equal(directionOfDrag(2, 7, 6), "down");
  assert.equal(directionOfDrag(2, -7, 6), "up");
});

test("keys of the grid move within it and stay at its edge", () => {
  assert.deepEqual(cellOfKey([0, 0], "ArrowLeft", false, 7, 5), [0, 0]);
  assert.deepEqual(cellOfKey([2, 2], "End", false, 7, 5), [2, 4]);
  assert.deepEqual(cellOfKey([2, 2], "Home", true, 7, 5), [0, 0]);
  assert.deepEqual(cellOfKey([2, 2], "End", true, 7, 5), [6, 4]);
  assert.deepEqual(cellOfKey([2, 2], "PageDown", false, 7, 5), [6, 2]);
  assert.equal(cellOfKey([2, 2], "a", false, 7, 5), null);
});

test("the middle of a match may lie between cells", () => {
  assert.deepEqual(middleOf([[1, 1], [1, 2], [1, 3], [1, 4]]), [1, 2.5]);
});
