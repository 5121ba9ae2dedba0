import assert from "node:assert/strict";
import test from "node:test";

import { inputOf, isUndoKey } from "../../static/js/play/undo.js";

const keys = { key: "z", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test("Ctrl or Cmd with Z takes back, alone and with nothing else", () => {
  assert.ok(isUndoKey({ ...keys, ctrlKey: true }));
  assert.ok(isUndoKey({ ...keys, metaKey: true }));
  assert.ok(isUndoKey({ ...keys, key: "Z", ctrlKey: true }), "with caps lock");
  assert.ok(!isUndoKey(keys));
  assert.ok(!isUndoKey({ ...keys, ctrlKey: true, shiftKey: true }), "that is redo");
  assert.ok(!isUndoKey({ ...keys, ctrlKey: true, altKey: true }), "AltGr");
  assert.ok(!isUndoKey({ ...keys, ctrlKey: true, metaKey: true }));
  assert.ok(!isUndoKey({ ...keys, key: "y", ctrlKey: true }));
});

test("a press says what it was made with", () => {
  const click = (detail, pointerType) => ({ detail, pointerType });
  assert.equal(inputOf(click(1, "mouse")), "click");
  assert.equal(inputOf(click(1, "touch")), "touch");
  assert.equal(inputOf(click(0, "")), "key");
});
