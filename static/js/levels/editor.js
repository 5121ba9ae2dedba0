// @ts-check
/**
 * The page where a level is drawn. The board's text field is the truth that is sent; the grid is a picture of it. What a
 * board is worth, the server says: while one draws it is asked again and again.
 */

import { Canvas } from "./canvas.js";
import { Drawing, linesOf, resized } from "./drawing.js";

/**
 * @typedef {{sizes: [number, number], colours: [number, number], moves: boolean, drops: boolean, horizon: boolean}} Limits
 * @typedef {{problem: string, runs: [number, number][], legal: number | null, deadlocked: boolean,
 *            risk?: {stuck: number, games: number}}} Check
 */

/** Milliseconds of rest before the server is asked what stands on the board, and how often it gets stuck. */
const PAUSE = 120;
const LONG_PAUSE = 600;

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-level-editor]"));

/** @param {string} name */
function field(name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/** @param {string} name */
function part(name) {
  return /** @type {HTMLElement} */ (form.querySelector(`[data-${name}]`));
}

/** @param {string} name */
function chosen(name) {
  return new FormData(form).get(name)?.toString() ?? "";
}

class Editor {
  /** @type {Record<string, Limits>} */
  limits = JSON.parse(form.dataset.limits ?? "{}");
  board = field("board");
  drawing = new Drawing(linesOf(this.board.value));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** @type {AbortController | null} */
  asking = null;
  saved = "";

  constructor() {
    this.canvas = new Canvas(part("canvas"), form.dataset.sprite ?? "", {
      piece: () => chosen("piece") || "A",
      isPiece: (letter) => letter >= "A" && letter.charCodeAt(0) - 65 < this.colours,
      nameOf: (letter) => form.querySelector(`[name=piece][value="${letter}"]`)?.getAttribute("aria-label") ?? letter,
      begin: () => this.drawing.begin(),
      paint: (row, col, letter) => {
        if (this.drawing.paint(row, col, letter)) this.show();
      },
      end: () => {
        this.drawing.end();
        this.show();
      },
    });
    part("canvas").hidden = false;
    part("tools").hidden = false;
    const text = /** @type {HTMLDetailsElement} */ (part("text"));
    text.open = Boolean(text.querySelector(".field__error"));
    this.#listen();
    this.show();
    // What the server refused is stored nowhere yet.
    if (form.dataset.refused === undefined) this.saved = this.#snapshot();
  }

  get colours() {
    return Number(field("colours").value) || 0;
  }

  #snapshot() {
    const data = new FormData(form);
    data.delete("piece");
    data.delete("csrfmiddlewaretoken");
    return new URLSearchParams(/** @type {any} */ (data)).toString();
  }

  #listen() {
    form.addEventListener("input", (event) => this.#changed(/** @type {HTMLInputElement} */ (event.target)));
    part("undo").addEventListener("click", () => this.step("undo"));
    part("redo").addEventListener("click", () => this.step("redo"));
    part("fill").addEventListener("click", () => void this.fill());
    part("write-queues").addEventListener("click", () => void this.writeQueues());
    form.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      const isTyping = event.target instanceof Element && event.target.matches("input:not([type=radio]), textarea");
      if (!(event.ctrlKey || event.metaKey) || isTyping || !["z", "y"].includes(key)) return;
      event.preventDefault();
      this.step(key === "y" || event.shiftKey ? "redo" : "undo");
    });
    form.addEventListener("submit", () => (this.saved = this.#snapshot()));
    addEventListener("beforeunload", (event) => {
      if (this.#snapshot() !== this.saved) event.preventDefault();
    });
  }

  /** @param {HTMLInputElement} input */
  #changed(input) {
    if (input.name === "piece") return;
    if (input.name === "board") {
      const lines = linesOf(input.value);
      this.drawing.replace(lines);
      if (lines.length) field("rows").value = String(lines.length);
      if (lines[0]) field("cols").value = String(lines[0].length);
      this.canvas.show(this.drawing.lines);
      this.#buttons();
      this.check();
      return;
    }
    if (input.name === "game") this.adapt();
    if (input.name === "rows" || input.name === "cols") void this.resize();
    else if (input.name === "colours") {
      this.adapt();
      this.canvas.show(this.drawing.lines);
      this.check();
    } else if (!["name", "tags", "note"].includes(input.name)) this.check();
  }

  /** Shows the fields and pieces that the game and the number of colours have. */
  adapt() {
    const limits = this.limits[chosen("game")];
    if (!limits) return;
    for (const key of /** @type {const} */ (["moves", "drops", "horizon"])) part(`for-${key}`).hidden = !limits[key];
    part("for-written").hidden = chosen("queues") !== "written";
    for (const [name, span] of /** @type {const} */ ([
      ["rows", limits.sizes],
      ["cols", limits.sizes],
      ["colours", limits.colours],
    ])) {
      field(name).min = String(span[0]);
      field(name).max = String(span[1]);
    }
    for (const choice of form.querySelectorAll("[name=piece]")) {
      const radio = /** @type {HTMLInputElement} */ (choice);
      const isPiece = radio.value.charCodeAt(0) - 65 < this.colours;
      radio.disabled = !isPiece;
      /** @type {HTMLElement} */ (radio.closest("label")).hidden = !isPiece;
      if (radio.checked && !isPiece) /** @type {HTMLInputElement} */ (form.querySelector("[name=piece]")).checked = true;
    }
  }

  show() {
    this.board.value = this.drawing.text;
    this.canvas.show(this.drawing.lines);
    this.#buttons();
    this.check();
  }

  #buttons() {
    for (const [name, can] of /** @type {const} */ ([
      ["undo", this.drawing.canUndo],
      ["redo", this.drawing.canRedo],
    ])) {
      // Disabled for real, a button would let go of the focus.
      part(name).setAttribute("aria-disabled", String(!can));
    }
  }

  /** @param {"undo" | "redo"} way */
  step(way) {
    if (!this.drawing[way]()) return;
    const lines = this.drawing.lines;
    field("rows").value = String(lines.length);
    field("cols").value = String(lines[0]?.length ?? 0);
    this.show();
  }

  async resize() {
    const rows = Number(field("rows").value);
    const cols = Number(field("cols").value);
    const [least, most] = this.limits[chosen("game")]?.sizes ?? [2, 20];
    const fits = [rows, cols].every((size) => Number.isInteger(size) && size >= least && size <= most);
    if (fits) {
      const answer = await this.ask(form.dataset.fillUrl ?? "");
      // Somebody may have typed on meanwhile.
      if (rows !== Number(field("rows").value) || cols !== Number(field("cols").value)) return;
      this.drawing.replace(resized(this.drawing.lines, rows, cols, answer?.board));
      this.show();
    } else this.check();
  }

  async fill() {
    const answer = await this.ask(form.dataset.fillUrl ?? "");
    if (answer?.board) {
      this.drawing.replace(answer.board);
      this.show();
    } else this.say(answer?.problem ?? "No answer from the server: nothing was filled. Try again.", "bad");
  }

  async writeQueues() {
    const answer = await this.ask(form.dataset.fillUrl ?? "");
    if (answer?.drops) {
      field("drops").value = answer.drops.join("\n");
      this.check();
    } else this.say(answer?.problem ?? "No answer from the server: nothing was written. Try again.", "bad");
  }

  /**
   * @param {string} url
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>} null without an answer
   */
  async ask(url, signal) {
    try {
      const request = { method: "POST", body: new FormData(form), headers: { Accept: "application/json" } };
      const response = await fetch(url, { ...request, redirect: "error", ...(signal ? { signal } : {}) });
      const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
      return isJson ? await response.json() : null;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      return null;
    }
  }

  check() {
    this.adapt();
    clearTimeout(this.timer);
    this.asking?.abort();
    this.timer = setTimeout(() => void this.#check(), PAUSE);
  }

  async #check() {
    const asking = (this.asking = new AbortController());
    const url = form.dataset.checkUrl ?? "";
    try {
      this.tell(await this.ask(url, asking.signal));
      await new Promise((resolve) => setTimeout(resolve, LONG_PAUSE));
      if (asking.signal.aborted) return;
      this.tell(await this.ask(`${url}?risk=1`, asking.signal));
    } catch (error) {
      if (!asking.signal.aborted) throw error;
    }
  }

  /** @param {Check | null} check */
  tell(check) {
    if (!check) {
      this.say("No answer from the server: the board is not checked. What you draw is kept on this page.", "bad");
      return;
    }
    this.canvas.mark(check.runs);
    const many = chosen("game") === "samegame" ? "groups" : "legal swaps";
    const legal = check.legal === 1 ? many.slice(0, -1) : many;
    if (check.problem) {
      const cells = check.runs.length ? ` ${check.runs.length} cells are marked.` : "";
      this.say(`${check.problem}${cells}`, "bad");
    } else this.say(`${form.dataset.ready}: ${check.legal} ${legal} at the start.`, "good");
    const risk = part("risk");
    risk.hidden = !check.risk;
    if (check.risk) {
      const { stuck, games } = check.risk;
      risk.textContent = stuck
        ? `Deadlock risk: ${stuck} of ${games} random games ran out of legal swaps and were reshuffled.`
        : `Deadlock risk: none of ${games} random games ran out of legal swaps.`;
    }
  }

  /**
   * @param {string} words
   * @param {"good" | "bad"} kind
   */
  say(words, kind) {
    const verdict = part("verdict");
    verdict.classList.toggle("notice--ok", kind === "good");
    verdict.classList.toggle("notice--warn", kind === "bad");
    const text = part("words");
    if (text.textContent !== words) text.textContent = words;
  }
}

new Editor();
