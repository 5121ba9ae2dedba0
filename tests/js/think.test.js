import assert from "node:assert/strict";
import { test } from "node:test";

import { ThinkClock } from "../../static/js/play/think.js";
import { FakeClock } from "./doubles.js";

test("thinking begins when input opens, and the drawing before it is told apart", () => {
  const clock = new FakeClock();
  const think = new ThinkClock(clock.now);
  clock.advance(5000);
  think.open(620.4);
  clock.advance(1840);
  assert.deepEqual(think.read(), { think: 1840, anim: 620, hidden: 0 });
});

test("time in the background counts as hidden, within the thinking", () => {
  const clock = new FakeClock();
  const think = new ThinkClock(clock.now);
  think.open(0);
  clock.advance(100);
  think.setHidden(true);
  clock.advance(3000);
  think.setHidden(false);
  clock.advance(50);
  assert.deepEqual(think.read(), { think: 3150, anim: 0, hidden: 3000 });
});

test("what was hidden before input opened does not count", () => {
  const clock = new FakeClock();
  const think = new ThinkClock(clock.now);
  think.setHidden(true);
  clock.advance(9000);
  think.open(0);
  clock.advance(40);
  think.setHidden(false);
  clock.advance(10);
  assert.deepEqual(think.read(), { think: 50, anim: 0, hidden: 40 });
});
