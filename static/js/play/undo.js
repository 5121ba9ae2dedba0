/**
 * The button that takes the last move back, and its key, Ctrl or Cmd with Z. Whether there is anything to take back the
 * server says; a button that can do nothing now keeps its place and the focus.
 */

export class UndoButton {
  #button;
  #press;

  /**
   * @param {HTMLButtonElement} button
   * @param {(input: import("./types.js").InputMode) => void} press
   */
  constructor(button, press) {
    this.#button = button;
    this.#press = press;
    button.addEventListener("click", (event) => this.#try(inputOf(event)));
    document.addEventListener("keydown", (event) => {
      if (button.hidden || !isUndoKey(event)) return;
      event.preventDefault();
      if (!event.repeat) this.#try("key");
    });
  }

  /** @param {boolean} isAllowed in this round @param {boolean} isPossible now */
  show(isAllowed, isPossible) {
    this.#button.hidden = !isAllowed;
    this.#button.setAttribute("aria-disabled", String(!isPossible));
  }

  /** @param {import("./types.js").InputMode} input */
  #try(input) {
    if (!this.#button.hidden && this.#button.getAttribute("aria-disabled") !== "true") this.#press(input);
  }
}

/** @param {{key: string, ctrlKey: boolean, metaKey: boolean, shiftKey: boolean, altKey: boolean}} event */
export function isUndoKey({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  return key.toLowerCase() === "z" && ctrlKey !== metaKey && !shiftKey && !altKey;
}

/**
 * What a button was pressed with: a click without a pointer comes from the keyboard or a screen reader.
 * @param {MouseEvent} event
 * @returns {import("./types.js").InputMode}
 */
export function inputOf(event) {
  if ("pointerType" in event && event.pointerType === "touch") return "touch";
  return event.detail === 0 ? "key" : "click";
}
