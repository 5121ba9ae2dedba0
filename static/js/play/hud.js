/**
 * What stands around the board: round, saved or not, score, moves left, the panel at the end, and the two live regions
 * (one polite message a move; the connection's own, assertive).
 *
 * @typedef {import("./types.js").Status} Status
 */

import { around } from "./figure.js";
import { number, texts } from "./texts.js";

const DOTS_AT_MOST = 40;
const SAY_ONLINE_FOR = 2500;

/** @param {Status} status */
function saveState(status) {
  if (status.link === "stopped") return "stopped";
  if (status.banner) return "offline";
  if (status.unsaved) return "unsaved";
  if (status.saving) return "saving";
  return status.link === "online" ? "saved" : "connecting";
}

export class Hud {
  #root;
  #wasOffline = false;
  #score = 0;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  /** @param {import("./types.js").StateMessage} state */
  showRound(state) {
    const title = state.purpose === "practice" ? texts.practice : texts.round(state.n, state.of);
    this.#part("round").textContent = title;
    document.title = `${title} · Tessera`;
    this.showScore(state.score);
    this.#part("last").textContent = "";
  }

  /** Of the explanations, which are those of all games of the study, shows those of this game. @param {string} game */
  showHelp(game) {
    for (const part of this.#root.querySelectorAll("[data-help]")) {
      if (part instanceof HTMLElement) part.hidden = part.dataset.help !== game;
    }
    this.#part("board").setAttribute("aria-describedby", `play-keys-${game}`);
  }

  /** @param {number} score */
  showScore(score) {
    this.#score = score;
    this.#part("score").textContent = number(score);
  }

  /** @param {number} points of one step of a cascade */
  addScore(points) {
    this.showScore(this.#score + points);
  }

  /**
   * @param {string} text how many moves, or what else, are left
   * @param {number} left
   * @param {number} whole moves of the round, for the dots; 0 shows none
   */
  showLeft(text, left, whole) {
    const figure = number(left);
    const [before, after] = around(text, figure);
    const strong = document.createElement("strong");
    strong.textContent = figure;
    this.#part("left").replaceChildren(before, ...(before === text ? [] : [strong]), after);
    const dots = this.#part("dots");
    const count = whole <= DOTS_AT_MOST ? whole : 0;
    while (dots.childElementCount > count) dots.lastElementChild?.remove();
    while (dots.childElementCount < count) dots.append(document.createElement("i"));
    Array.from(dots.children).forEach((dot, index) => dot.classList.toggle("is-used", index < whole - left));
    if (count) dots.setAttribute("aria-label", texts.movesUsed(whole - left, whole));
    dots.hidden = count === 0;
  }

  /** @param {number} points */
  showGain(points) {
    this.#part("last").textContent = texts.lastMove(points);
  }

  /** @param {string} words what the move that is shown on the board would do */
  showPreview(words) {
    this.#part("preview").textContent = words;
  }

  /** @param {string} words what became of the last wish, where it brought no points */
  showWords(words) {
    this.#part("last").textContent = words;
  }

  /** @param {string} words read out once, politely */
  say(words) {
    const region = this.#part("say");
    // The same words twice are two messages: a new node is read again, a text set to itself is not.
    const line = document.createElement("p");
    line.textContent = words;
    region.replaceChildren(line);
  }

  /** @param {Status} status */
  showStatus(status) {
    const state = saveState(status);
    const save = this.#part("save");
    save.dataset.state = state;
    save.textContent = texts.save[state];
    const isDown = status.banner || status.unsaved;
    if (isDown) {
      const words = status.unsaved && !status.banner ? texts.storage : status.advice ? texts.advice : texts.offline;
      this.#alert(words, "down");
    } else if (this.#wasOffline && status.link === "online") {
      this.#alert(texts.online, "up");
      setTimeout(() => {
        if (this.#part("alert").dataset.state === "up") this.#alert("", "");
      }, SAY_ONLINE_FOR);
    } else if (status.link === "stopped") {
      this.#alert("", "");
    }
    if (isDown) this.#wasOffline = true;
    else if (status.link !== "connecting") this.#wasOffline = false;
  }

  /** @param {string} words of the server about a fault */
  showFault(words) {
    this.#alert(words, "down");
  }

  /**
   * Lays a panel over the board and moves the focus to its one button.
   * @param {{title: string, figure?: string, unit?: string, words: string, button: string, href?: string, press?: () => void}} panel
   */
  showPanel(panel) {
    const title = document.createElement("h2");
    title.textContent = panel.title;
    title.id = "play-panel-title";
    const parts = [title];
    if (panel.figure !== undefined) {
      const figure = document.createElement("p");
      figure.className = "play__result";
      const strong = document.createElement("strong");
      strong.textContent = panel.figure;
      figure.append(strong, ` ${panel.unit ?? ""}`);
      parts.push(figure);
    }
    const words = document.createElement("p");
    words.textContent = panel.words;
    const button = document.createElement(panel.href ? "a" : "button");
    button.className = "button button--primary";
    button.textContent = panel.button;
    if (button instanceof HTMLAnchorElement) button.href = panel.href ?? "";
    else button.addEventListener("click", () => panel.press?.(), { once: true });
    const box = document.createElement("div");
    box.className = "play__card";
    box.append(...parts, words, button);
    const holder = this.#part("panel");
    holder.setAttribute("aria-labelledby", title.id);
    holder.replaceChildren(box);
    holder.hidden = false;
    button.focus({ preventScroll: true });
  }

  hidePanel() {
    const holder = this.#part("panel");
    holder.hidden = true;
    holder.replaceChildren();
  }

  /** @param {string} words @param {string} state */
  #alert(words, state) {
    const region = this.#part("alert");
    region.dataset.state = state;
    if (region.textContent !== words) region.textContent = words;
  }

  /** @param {string} name */
  #part(name) {
    const found = this.#root.querySelector(`[data-play="${name}"]`);
    if (!(found instanceof HTMLElement)) throw new Error(`The page has no place for "${name}".`);
    return found;
  }
}
