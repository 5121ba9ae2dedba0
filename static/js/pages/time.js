// @ts-check
/**
 * The time that is left for the study as a whole: hidden until the warning, said once then. Only a picture of the server's
 * clock, which is asked when the time is up, and when a page is looked at again after a while. Without this module the page
 * shows what the server knew, and the button still works.
 */

const ASK_AGAIN = 20_000;
const SECOND = 1_000;

/** @typedef {{ time: { left_ms: number, more_left: number } | null, extended: boolean }} Answer */

class StudyTime {
  #form;
  #figure;
  #more;
  #say;
  #endsAt;
  #warn;
  #timer = 0;
  #askedAt = performance.now();
  #warned = false;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    this.#figure = /** @type {HTMLElement} */ (form.querySelector("[data-time-left]"));
    this.#more = /** @type {HTMLButtonElement} */ (form.querySelector("[data-time-more]"));
    this.#say = /** @type {HTMLElement} */ (form.querySelector("[data-time-say]"));
    this.#endsAt = performance.now() + Number(form.dataset.left);
    this.#warn = Number(form.dataset.warn);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#ask(true);
    });
    addEventListener("visibilitychange", () => this.#lookAgain());
    addEventListener("pageshow", (event) => event.persisted && void this.#ask(false));
    this.#tick();
  }

  #lookAgain() {
    // A computer that slept has a clock that stood still.
    if (document.visibilityState === "visible" && performance.now() - this.#askedAt > ASK_AGAIN) void this.#ask(false);
  }

  #tick() {
    clearTimeout(this.#timer);
    const left = Math.max(0, this.#endsAt - performance.now());
    if (left === 0) {
      void this.#ask(false);
      return;
    }
    const isNear = left <= this.#warn;
    this.#form.hidden = !isNear && !this.#form.contains(document.activeElement);
    if (isNear && !this.#warned) this.#say.textContent = this.#say.dataset.warning ?? "";
    this.#warned = isNear;
    const seconds = Math.round(left / SECOND);
    this.#figure.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const wait = isNear ? left % SECOND || SECOND : Math.min(left - this.#warn, ASK_AGAIN);
    this.#timer = setTimeout(() => this.#tick(), wait);
  }

  /** @param {boolean} forMore */
  async #ask(forMore) {
    clearTimeout(this.#timer);
    this.#askedAt = performance.now();
    const body = new FormData(this.#form);
    body.set("script", "1");
    if (forMore) body.set("more", "1");
    try {
      const response = await fetch(this.#form.action, { method: "POST", body });
      if (!response.ok) throw new Error(String(response.status));
      this.#show(/** @type {Answer} */ (await response.json()));
    } catch {
      // Offline, or the server is: asked again, and at the end it is the server that decides.
      this.#timer = setTimeout(() => void this.#ask(false), ASK_AGAIN);
    }
  }

  /** @param {Answer} answer */
  #show(answer) {
    if (answer.time === null) {
      location.assign(this.#form.dataset.next ?? "");
      return;
    }
    this.#endsAt = performance.now() + Math.max(SECOND, answer.time.left_ms);
    // Who has just pressed it for the last time keeps the focus.
    this.#more.hidden = answer.time.more_left === 0 && this.#more !== document.activeElement;
    this.#more.setAttribute("aria-disabled", String(answer.time.more_left === 0));
    const isNear = answer.time.left_ms <= this.#warn;
    if (answer.extended) this.#say.textContent = this.#say.dataset.extended ?? "";
    this.#warned = isNear && answer.extended ? true : this.#warned;
    this.#tick();
  }
}

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-study-time]"));
if (form) new StudyTime(form);

export {};
