import assert from "node:assert/strict";
import { test } from "node:test";

import { FakeClock } from "./doubles.js";

/** Of the page only what a form that is sent once needs. */
class Part extends EventTarget {
  attributes = new Map();
  dataset = {};
  children = [];
  textContent = "";
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  append(child) {
    this.children.push(child);
  }
  querySelectorAll() {
    return [this.button];
  }
}
const page = new EventTarget();
Object.assign(globalThis, {
  document: { querySelectorAll: () => [], createElement: () => new Part() },
  addEventListener: page.addEventListener.bind(page),
});
const { sendOnce } = await import("../../static/js/pages/once.js");

function shown() {
  const form = new Part();
  form.button = new Part();
  form.dataset.once = "One moment, please.";
  const clock = new FakeClock();
  sendOnce(form, clock);
  const press = () => form.dispatchEvent(new Event("submit", { cancelable: true }));
  return { form, clock, press, button: form.button, say: form.children[0] };
}

test("a form is sent once, and says that it is under way", () => {
  const { press, button, say } = shown();
  assert.equal(say.textContent, "");
  assert.equal(say.attributes.get("role"), "status");
  assert.ok(press());
  assert.equal(say.textContent, "One moment, please.");
  assert.equal(button.attributes.get("aria-disabled"), "true");
  assert.ok(!press());
});

test("it can be sent again once nothing came of it for long", () => {
  const { press, clock, button, say } = shown();
  press();
  clock.advance(9_000);
  assert.ok(!press());
  clock.advance(2_000);
  assert.equal(say.textContent, "");
  assert.ok(!button.attributes.has("aria-disabled"));
  assert.ok(press());
});

test("it can be sent again when one comes back to the page", () => {
  const { press, say } = shown();
  press();
  page.dispatchEvent(new Event("pageshow"));
  assert.equal(say.textContent, "");
  assert.ok(press());
});
