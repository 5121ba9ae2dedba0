/**
 * What each agent would do at the position that is shown, and how sure it is: asked on demand, one agent after the
 * other, and kept for every position that was asked about.
 *
 * @typedef {import("../play/types.js").Action} Action
 * @typedef {{action: Action, words: string, times: number}} Choice
 * @typedef {{over: boolean, searches: number, choices: Choice[], others: number, problem?: string}} Answer
 */

import { actionsAgree, codesBefore } from "./document.js";

const NO_ANSWER = "No answer. Ask again.";

export class Advice {
  #panel;
  #side;
  #at = 0;
  #asking = 0;
  /** @type {Map<string, Answer>} */
  #answers = new Map();

  /** @param {HTMLElement} panel @param {import("./side.js").Side} side */
  constructor(panel, side) {
    this.#panel = panel;
    this.#side = side;
    this.#button.addEventListener("click", () => void this.#ask());
  }

  get #button() {
    return /** @type {HTMLButtonElement} */ (this.#panel.querySelector("[data-advice-ask]"));
  }

  get #rows() {
    return /** @type {HTMLElement[]} */ ([...this.#panel.querySelectorAll("[data-adviser]")]);
  }

  /** Another place is shown: what is known of it stands there, the rest waits to be asked. @param {number} at */
  moved(at) {
    if (at === this.#at && this.#asking > 0) return;
    this.#at = at;
    this.#asking += 1;
    this.#side.advise(null);
    const known = this.#rows.filter((row) => this.#show(row, this.#answers.get(this.#key(row)))).length;
    this.#busy(false);
    this.#say(known === this.#rows.length ? "" : "Nobody was asked about this position yet.");
  }

  async #ask() {
    const [at, asking] = [this.#at, ++this.#asking];
    this.#busy(true);
    for (const [index, row] of this.#rows.entries()) {
      this.#say(`Asking ${index + 1} of ${this.#rows.length} …`);
      const key = this.#key(row);
      const answer = this.#answers.get(key) ?? (await this.#answerOf(row, at));
      if (!answer.problem) this.#answers.set(key, answer);
      if (asking !== this.#asking) return;
      this.#show(row, answer);
    }
    this.#busy(false);
    this.#say("Choose an answer to see it on the board.");
  }

  /** @param {HTMLElement} row @param {number} at @returns {Promise<Answer>} */
  async #answerOf(row, at) {
    const data = new FormData(/** @type {HTMLFormElement} */ (this.#panel.querySelector("form")));
    data.set("agent", row.dataset.adviser ?? "");
    data.set("level", JSON.stringify(this.#side.replay.level));
    data.set("codes", JSON.stringify(codesBefore(this.#side.replay, at)));
    const nothing = { over: false, searches: 0, choices: [], others: 0, problem: NO_ANSWER };
    try {
      const address = this.#panel.dataset.advice ?? "";
      const response = await fetch(address, { method: "POST", body: data, redirect: "error" });
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      return isJson ? await response.json() : nothing;
    } catch {
      return nothing;
    }
  }

  /**
   * Writes an answer into its row; says whether there was one.
   * @param {HTMLElement} row @param {Answer | undefined} answer
   */
  #show(row, answer) {
    const [choice, times, played] = /** @type {HTMLElement[]} */ ([...row.querySelectorAll("td")]);
    const first = answer?.choices[0];
    times.textContent = first && answer ? `${first.times} of ${answer.searches}` : "";
    const next = this.#side.replay.steps.slice(this.#at).find((step) => step.kind === "move");
    played.textContent = first && next ? (actionsAgree(this.#side.replay, this.#at, first.action, next.action) ? "yes" : "no") : "";
    choice.replaceChildren();
    if (!answer) choice.textContent = "–";
    else if (!first) choice.textContent = answer.problem ?? "The game is over.";
    else for (const one of answer.choices) choice.append(this.#chip(row, one, answer));
    return Boolean(answer);
  }

  /** @param {HTMLElement} row @param {Choice} one @param {Answer} answer */
  #chip(row, one, answer) {
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = "button button--small advice__choice";
    chip.textContent = one === answer.choices[0] ? one.words : `${one.words} (${one.times})`;
    chip.setAttribute("aria-pressed", "false");
    chip.setAttribute("aria-label", `${row.dataset.label}: ${one.words}, ${one.times} of ${answer.searches} searches`);
    chip.addEventListener("click", () => {
      const isShown = chip.getAttribute("aria-pressed") === "true";
      for (const other of this.#panel.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", "false");
      chip.setAttribute("aria-pressed", String(!isShown));
      this.#side.advise(isShown ? null : one.action);
    });
    return chip;
  }

  /** @param {HTMLElement} row */
  #key(row) {
    return `${row.dataset.adviser}:${codesBefore(this.#side.replay, this.#at).join()}`;
  }

  /** @param {boolean} isBusy */
  #busy(isBusy) {
    this.#button.setAttribute("aria-disabled", String(isBusy));
  }

  /** @param {string} words */
  #say(words) {
    const said = this.#panel.querySelector("[data-advice-said]");
    if (said) said.textContent = words;
  }
}
