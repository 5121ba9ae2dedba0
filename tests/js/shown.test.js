import assert from "node:assert/strict";
import { test } from "node:test";

import { ShownClock } from "../../static/js/pages/shown_clock.js";
import { FakeClock } from "./doubles.js";

test("time goes on while the page is shown, and time in the background is counted within it", () => {
  const clock = new FakeClock();
  clock.advance(5000);
  const shown = new ShownClock(clock.now, false);
  clock.advance(1000);
  shown.setHidden(true);
  clock.advance(3000);
  shown.setHidden(false);
  clock.advance(500.4);
  assert.deepEqual(shown.read(), { shown: 4500, hidden: 3000 });
  clock.advance(100);
  assert.deepEqual(shown.read(), { shown: 4600, hidden: 3000 });
});

test("a page that is opened in the background is hidden from the beginning", () => {
  const clock = new FakeClock();
  const shown = new ShownClock(clock.now, true);
  clock.advance(2000);
  assert.deepEqual(shown.read(), { shown: 2000, hidden: 2000 });
});

test("time on other pages does not count, however the browser says that one left and came back", () => {
  const clock = new FakeClock();
  const shown = new ShownClock(clock.now, false);
  clock.advance(1000);
  shown.setHidden(true);
  shown.setAway(true);
  clock.advance(60000);
  shown.setAway(false);
  shown.setHidden(false);
  clock.advance(1000);
  shown.setAway(true);
  shown.setHidden(true);
  clock.advance(60000);
  shown.setHidden(false);
  clock.advance(60000);
  shown.setAway(false);
  clock.advance(1000);
  assert.deepEqual(shown.read(), { shown: 3000, hidden: 0 });
});

test("hidden is never more than shown, whatever is rounded", () => {
  const clock = new FakeClock();
  const shown = new ShownClock(clock.now, true);
  for (let number = 0; number < 40; number += 1) {
    clock.advance(0.7);
    const { shown: all, hidden } = shown.read();
    assert.ok(hidden <= all && Number.isInteger(all) && Number.isInteger(hidden));
  }
});
