import assert from "node:assert/strict";
import { test } from "node:test";

import { FakeClock } from "./doubles.js";

/** Of the page only what the time needs: elements are found by their mark and hold text, state and a click. */
class HTMLElement extends EventTarget {
  hidden = true;
  textContent = "";
  dataset = {};
  attributes = new Map();
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
}
class HTMLButtonElement extends HTMLElement {}
Object.assign(globalThis, { HTMLElement, HTMLButtonElement, document: { activeElement: null } });
const { TimeLeft } = await import("../../static/js/play/timeleft.js");

const LIMIT = { left_ms: 90_000, warn_ms: 60_000, more_ms: 120_000, more_left: 1 };

function shown() {
  const parts = {
    "[data-play=time]": new HTMLElement(),
    "[data-play=time-left]": new HTMLElement(),
    "[data-play=more]": new HTMLButtonElement(),
  };
  const clock = new FakeClock();
  let asked = 0;
  const time = new TimeLeft({ querySelector: (selector) => parts[selector] }, clock, () => (asked += 1));
  const [holder, figure, button] = Object.values(parts);
  return { time, clock, holder, figure, button, asked: () => asked };
}

test("without a limit there is no clock", () => {
  const { time, holder } = shown();
  time.show(null);
  assert.ok(holder.hidden);
});

test("the clock counts down, is marked from the warning on and stops at nothing", () => {
  const { time, clock, holder, figure } = shown();
  time.show(LIMIT);
  assert.equal(figure.textContent, "1:30");
  assert.equal(holder.dataset.state, "");
  clock.advance(25_000);
  assert.equal(figure.textContent, "1:05");
  clock.advance(6_000);
  assert.equal(holder.dataset.state, "near");
  clock.advance(100_000);
  assert.equal(figure.textContent, "0:00");
});

test("more time is asked for by the button, which goes when there is none left", () => {
  const { time, button, figure, asked } = shown();
  time.show(LIMIT);
  assert.ok(!button.hidden);
  button.dispatchEvent(new Event("click"));
  assert.equal(asked(), 1);
  time.show({ ...LIMIT, left_ms: 210_000, more_ms: 0, more_left: 0 });
  assert.equal(figure.textContent, "3:30");
  assert.ok(button.hidden);
});
