/** What is to be tried in practice: marked when it is done, and when all is, the button that leads on is there. */

export class Practice {
  #root;
  /** @type {Set<string>} */
  #done = new Set();

  /** @param {HTMLElement} root the page of play */
  constructor(root) {
    this.#root = root;
  }

  /** @param {string[] | undefined} checks what was tried so far; none in a round that counts */
  show(checks = []) {
    for (const name of checks) this.#done.add(name);
    const lines = Array.from(this.#root.querySelectorAll("[data-check]"));
    for (const line of lines) {
      if (!(line instanceof HTMLElement) || !this.#done.has(line.dataset.check ?? "")) continue;
      line.classList.add("is-done");
      line.querySelector("[data-done]")?.removeAttribute("hidden");
    }
    if (lines.length === 0 || lines.some((line) => !line.classList.contains("is-done"))) return;
    const button = this.#root.querySelector("[data-play=go-on]");
    if (!(button instanceof HTMLElement)) return;
    button.hidden = false;
    button.textContent = button.dataset.complete ?? "";
  }
}
