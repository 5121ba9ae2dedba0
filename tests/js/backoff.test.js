import assert from "node:assert/strict";
import { test } from "node:test";

import { backoffDelay, verdictOf } from "../../static/js/play/backoff.js";

test("the wait doubles from a quarter of a second to fifteen seconds", () => {
  const longest = Array.from({ length: 9 }, (_, attempt) => backoffDelay(attempt, 1));
  assert.deepEqual(longest, [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

test("chance takes away up to half of the wait and adds nothing", () => {
  assert.equal(backoffDelay(3, 0), 1000);
  assert.equal(backoffDelay(3, 0.5), 1500);
});

test("each close code asks for what the protocol says", () => {
  const expected = {
    retry: [1000, 1001, 1006, 1012, 4503],
    retry_once: [4400, 1003, 1009, 4413],
    identity: [4401],
    taken: [4409],
    ended: [4410],
    version: [4426],
    wait: [4429],
  };
  for (const [verdict, codes] of Object.entries(expected)) {
    for (const code of codes) assert.equal(verdictOf(code), verdict, String(code));
  }
});
