// @ts-check
/**
 * Forms with `data-once` are sent once, however often the button is pressed, and say in these words that they are under way.
 * Without this module the server finds that the same was sent twice.
 */

/** After which an answer that has not come is waited for no more, in milliseconds. */
const GIVE_UP = 10_000;

/** @typedef {{ setTimeout(run: () => void, delay: number): number, clearTimeout(timer: number): void }} Timers */

/** @param {HTMLFormElement} form @param {Timers} timers */
export function sendOnce(form, timers) {
  const say = document.createElement("p");
  say.className = "note";
  say.setAttribute("role", "status");
  form.append(say);
  let isSent = false;
  let timer = 0;

  /** @param {boolean} isUnderWay */
  const show = (isUnderWay) => {
    isSent = isUnderWay;
    say.textContent = isUnderWay ? (form.dataset.once ?? "") : "";
    // A button that is disabled would lose the focus.
    for (const button of form.querySelectorAll("[type=submit]")) {
      if (isUnderWay) button.setAttribute("aria-disabled", "true");
      else button.removeAttribute("aria-disabled");
    }
    timers.clearTimeout(timer);
  };

  form.addEventListener("submit", (event) => {
    if (isSent) {
      event.preventDefault();
      return;
    }
    show(true);
    timer = timers.setTimeout(() => show(false), GIVE_UP);
  });
  // Back from the next page, which may bring this one as it was left.
  addEventListener("pageshow", () => show(false));
}

for (const form of document.querySelectorAll("form[data-once]")) {
  if (form instanceof HTMLFormElement) {
    sendOnce(form, { setTimeout: (run, delay) => window.setTimeout(run, delay), clearTimeout: (id) => clearTimeout(id) });
  }
}
