/**
 * Whether the pieces may move: not if the device asks for less motion, nor if the person has switched it off. The page
 * carries it as `data-motion` of its root.
 */

const KEY = "tessera-motion";

export class Motion {
  #asksLess = window.matchMedia("(prefers-reduced-motion: reduce)");
  #box;
  #note;

  /**
   * @param {HTMLInputElement} box the switch
   * @param {HTMLElement} note says why the switch does nothing where the device has decided
   * @param {string} words
   * @param {() => void} onChange
   */
  constructor(box, note, words, onChange) {
    this.#box = box;
    this.#note = note;
    box.checked = readChoice() !== "off";
    const changed = () => {
      this.#mark();
      onChange();
    };
    box.addEventListener("change", () => {
      keepChoice(box.checked ? "on" : "off");
      changed();
    });
    const show = () => {
      box.disabled = this.#asksLess.matches;
      this.#note.textContent = this.#asksLess.matches ? words : "";
    };
    this.#asksLess.addEventListener("change", () => {
      show();
      changed();
    });
    show();
    this.#mark();
  }

  #mark() {
    document.documentElement.dataset.motion = this.isFull ? "full" : "reduced";
  }

  get isFull() {
    return this.#box.checked && !this.#asksLess.matches;
  }
}

function readChoice() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // Storage may be forbidden; the switch then holds for this page only.
  }
}

/** @param {string} choice */
function keepChoice(choice) {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // As above.
  }
}
