// @ts-check
/**
 * The end page goes on by itself after some seconds that everybody sees and can stop. It does so once: whoever comes back to look
 * at the code again stays. Without this module the link is all there is.
 */

const SECOND = 1_000;

const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-leave]"));

/** @param {string} key */
function wasHere(key) {
  try {
    return sessionStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/** @param {string} key */
function note(key) {
  try {
    sessionStorage.setItem(key, "1");
  } catch {
    // Kept nowhere, then it counts down again.
  }
}

/** @param {HTMLElement} place */
function countDown(place) {
  const key = `left-${place.dataset.study}`;
  const link = /** @type {HTMLAnchorElement} */ (place.querySelector("[data-leave-link]"));
  const button = /** @type {HTMLButtonElement} */ (place.querySelector("[data-leave-stop]"));
  const count = /** @type {HTMLElement} */ (place.querySelector("[data-leave-count]"));
  const seconds = /** @type {HTMLElement} */ (place.querySelector("[data-leave-seconds]"));
  const status = /** @type {HTMLElement} */ (place.querySelector("[data-leave-status]"));
  link.addEventListener("click", () => note(key));
  if (wasHere(key)) return;
  let left = Number(place.dataset.wait);
  count.hidden = button.hidden = false;

  const timer = setInterval(() => {
    // Nobody is sent on while they look at something else.
    if (document.visibilityState === "hidden") return;
    left -= 1;
    seconds.textContent = String(Math.max(0, left));
    if (left > 0) return;
    clearInterval(timer);
    note(key);
    location.assign(link.href);
  }, SECOND);

  function stop() {
    clearInterval(timer);
    note(key);
    count.hidden = button.hidden = true;
    status.textContent = status.dataset.stopped ?? "";
  }

  button.addEventListener("click", () => {
    stop();
    link.focus();
  });
  // Back by the browser's button, on the page as it was left.
  addEventListener("pageshow", (event) => {
    if (event.persisted) stop();
  });
}

if (place) countDown(place);
