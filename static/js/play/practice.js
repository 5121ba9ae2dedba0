/**
 * What is to be tried in practice: marked when it is done, and when that is enough, the button that leads on is there. The
 * one that begins anew is there once something was done.
 */

export class Practice {
  #root;
  /** @type {Set<string>} */
  #done = new Set();

  /** @param {HTMLElement} root the page of play */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {string[] | undefined} checks what was tried so far; none in a round that counts
   * @param {boolean} [isEnough] whether the server lets people go on
   */
  show(checks = [], isEnough = false) {
    for (const name of checks) this.#done.add(name);
    if (this.#done.size) this.#root.querySelector("[data-play=again]")?.removeAttribute("hidden");
    const lines = Array.from(this.#root.querySelectorAll("[data-check]"));
    for (const line of lines) {
      if (!(line instanceof HTMLElement) || !this.#done.has(line.dataset.check ?? "")) continue;
      line.classList.add("is-done");
      line.querySelector("[data-done]")?.removeAttribute("hidden");
    }
    const isAll = lines.length > 0 && lines.every((line) => line.classList.contains("is-done"));
    if (!isAll && !isEnough) return;
    this.#root.querySelector("[data-play=needed]")?.setAttribute("hidden", "");
    const button = this.#root.querySelector("[data-play=go-on]");
    if (!(button instanceof HTMLElement)) return;
    button.hidden = false;
    button.textContent = button.dataset.complete ?? "";
  }
}
