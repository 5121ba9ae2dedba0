import assert from "node:assert/strict";
import test from "node:test";

import { around } from "../../static/js/play/figure.js";

test("the number is found wherever the language puts it", () => {
  assert.deepEqual(around("10 moves left", "10"), ["", " moves left"]);
  assert.deepEqual(around("Noch 10 Züge", "10"), ["Noch ", " Züge"]);
  assert.deepEqual(around("Noch 1.000 Züge", "1.000"), ["Noch ", " Züge"]);
});

test("a sentence that writes no number stays whole", () => {
  assert.deepEqual(around("kein Zug mehr", "0"), ["kein Zug mehr", ""]);
});
