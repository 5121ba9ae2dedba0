import assert from "node:assert/strict";
import { test } from "node:test";

import { layoutOf, MARGIN, wrapped } from "../../static/js/charts/layout.js";

const measure = (text) => text.length * 10;

test("text breaks at spaces, and a word that is too long stays whole", () => {
  assert.deepEqual(wrapped("one two three", 70, measure), ["one two", "three"]);
  assert.deepEqual(wrapped("extraordinary one", 50, measure), ["extraordinary", "one"]);
  assert.deepEqual(wrapped("  ", 50, measure), []);
});

test("title stands above the chart, caption and note under it, and all of it is inside", () => {
  const layout = layoutOf({ title: "Title", caption: "How to read it", note: "n = 3" }, { width: 100, height: 50 }, measure);
  assert.deepEqual(layout.lines.map((line) => line.text), ["Title", "How to", "read it", "n = 3"]);
  assert.equal(layout.width, 100 + 2 * MARGIN);
  const [title, ...words] = layout.lines;
  assert.ok(title.y < layout.top);
  assert.ok(words.every((line) => line.y > layout.top + 50 && line.y < layout.height));
});
