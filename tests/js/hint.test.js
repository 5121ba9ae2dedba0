import assert from "node:assert/strict";
import { test } from "node:test";

import { Hint } from "../../static/js/play/hint.js";
import { FakeClock } from "./doubles.js";

const OFFER = { t: "hint", seq: 3, cells: [[2, 1], [2, 2]], say: "Hint" };

/** A board that is open and has a hint to give, ten seconds after the last touch. */
function waiting(seconds = 10) {
  const clock = new FakeClock();
  const told = [];
  const hint = new Hint(clock, { show: (offer) => told.push(offer), hide: () => told.push("hidden") });
  hint.begin(seconds);
  hint.offer(OFFER);
  hint.setOpen(true);
  return { clock, told, hint };
}

test("a hint comes after the time that the study says, not before", () => {
  const { clock, told } = waiting();
  clock.advance(9_999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told, [OFFER]);
  clock.advance(60_000);
  assert.deepEqual(told, [OFFER], "once a board");
});

test("whatever is done on the board begins the wait anew", () => {
  const { clock, told, hint } = waiting();
  for (let turn = 0; turn < 5; turn += 1) {
    clock.advance(9_000);
    hint.touched();
  }
  assert.deepEqual(told, []);
  clock.advance(10_000);
  assert.deepEqual(told, [OFFER]);
  hint.touched();
  assert.deepEqual(told, [OFFER], "what is shown stays while one looks for it");
});

test("a move takes the hint away, and the next board waits for its own", () => {
  const { clock, told, hint } = waiting();
  clock.advance(10_000);
  hint.setOpen(false);
  assert.deepEqual(told, [OFFER, "hidden"]);
  hint.begin(10);
  hint.setOpen(true);
  clock.advance(60_000);
  assert.deepEqual(told, [OFFER, "hidden"], "nothing was offered for this board");
  const next = { ...OFFER, seq: 4 };
  hint.offer(next);
  clock.advance(10_000);
  assert.deepEqual(told, [OFFER, "hidden", next]);
});

test("after a refused move the same board waits the whole time again", () => {
  const { clock, told, hint } = waiting();
  clock.advance(8_000);
  hint.setOpen(false);
  clock.advance(500);
  hint.setOpen(true);
  clock.advance(9_000);
  assert.deepEqual(told, []);
  clock.advance(1_000);
  assert.deepEqual(told, [OFFER]);
});

test("nobody is shown anything while the page is hidden, or where the study has no hints", () => {
  const { clock, told, hint } = waiting();
  hint.setAway(true);
  clock.advance(60_000);
  hint.setAway(false);
  clock.advance(9_000);
  assert.deepEqual(told, []);
  const without = waiting(null);
  without.clock.advance(600_000);
  assert.deepEqual(without.told, []);
});
