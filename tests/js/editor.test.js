import assert from "node:assert/strict";
import test from "node:test";

class Input {
  constructor(type, name, attributes = {}, checked = false) {
    Object.assign(this, { type, name, attributes, defaultChecked: checked, defaultValue: attributes.value ?? "" });
    this.value = this.defaultValue;
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
}

Object.assign(globalThis, { HTMLInputElement: Input, HTMLTextAreaElement: class {}, HTMLSelectElement: class {} });
const { received, showNumbers } = await import("../../static/js/pages/editor_form.js");
const { nameAnswers } = await import("../../static/js/pages/editor_answers.js");

test("a ticked box without a value is what the browser sends of it", () => {
  const elements = [
    new Input("text", "label", { value: "How old are you?" }),
    new Input("checkbox", "required", {}, true),
    new Input("checkbox", "sensitive"),
    new Input("radio", "method", { value: "mean" }, true),
  ];
  assert.equal(received({ elements }), "label=How+old+are+you%3F&required=on&method=mean");
});

test("numbers of a game that was chosen are shown, save where another one was typed meanwhile", () => {
  const fields = { rows: new Input("number", "rows", { value: "7" }), moves: new Input("number", "moves", { value: "25" }) };
  showNumbers({ elements: { namedItem: (name) => fields[name] ?? null } }, "rows=7&moves=20", { rows: "15", moves: "", cols: "1" });
  assert.deepEqual([fields.rows.value, fields.moves.value], ["15", "25"]);
});

test("names that the server made are shown, save where another one was typed meanwhile", () => {
  const inputs = ["yes", "x", "own", ""].map((value) => ({ value }));
  const form = { querySelectorAll: () => inputs };
  const sent = new URLSearchParams();
  for (const [label, name] of [["Never", "yes"], ["", "x"], ["Daily", "no"], ["", ""]]) {
    sent.append("options-label", label);
    sent.append("options-value", name);
  }
  nameAnswers(form, sent.toString(), ["never", "daily"]);
  assert.deepEqual(inputs.map((input) => input.value), ["never", "x", "own", ""]);
});
