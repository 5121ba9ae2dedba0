import assert from "node:assert/strict";
import { test } from "node:test";

import { planSteps } from "../../static/js/play/plan.js";

const PACE = { swap: 180, step: 320, cap: 2500 };
const swap = { f: "swap", a: [0, 0], b: [0, 1] };
const clear = { f: "clear", step: 1, mult: 1, matches: [], gained: 60 };
const fall = { f: "fall", moves: [], new: [] };

const whole = (steps) => steps.reduce((sum, step) => sum + step.duration, 0);

test("a clear and its fall together take one step of time", () => {
  const steps = planSteps([swap, clear, fall], PACE);
  assert.deepEqual(steps.map((step) => step.frame), [swap, clear, fall]);
  assert.equal(steps[0].duration, 180);
  assert.ok(Math.abs(whole(steps) - 500) < 1e-9);
});

test("a long cascade is drawn faster so that it stays under the cap, in the same proportions", () => {
  const frames = [swap, ...Array.from({ length: 12 }, () => [clear, fall]).flat()];
  const steps = planSteps(frames, PACE);
  assert.ok(Math.abs(whole(steps) - 2500) < 1e-6);
  assert.ok(Math.abs(steps[2].duration / steps[1].duration - 55 / 45) < 1e-9);
});

test("frames of an unknown kind take no time", () => {
  assert.equal(planSteps([{ f: "later" }], PACE)[0].duration, 0);
});
