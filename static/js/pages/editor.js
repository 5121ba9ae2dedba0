// @ts-check
/**
 * The editor of a study saves as one goes. Without this module the page works by its buttons alone: each of them sends the form
 * along. The server numbers drafts, so that two people never overwrite each other without seeing it.
 */

import { growOptions, nameAnswers } from "./editor_answers.js";
import { clearErrors, showErrors } from "./editor_errors.js";
import { received, showNumbers, snapshot } from "./editor_form.js";

const PAUSE = 900;
const AGAIN = 5_000;

/** @typedef {{saved: boolean, number?: number, base?: string, name?: string, url?: string, conflict?: boolean, message?: string, answers?: string[], numbers?: Record<string, string>, errors?: Record<string, string[]>}} Answer */

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-editor]"));
const state = /** @type {HTMLElement | null} */ (document.querySelector("[data-save-state]"));

class Saver {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.stored = received(form);
    this.timer = 0;
    this.leaving = false;
    /** @type {Promise<void> | null} */
    this.running = null;
  }

  get isDirty() {
    return snapshot(this.form) !== this.stored;
  }

  /** @param {number} wait */
  later(wait) {
    clearTimeout(this.timer);
    if (!this.isDirty) return;
    say("waiting", "Not saved yet");
    this.timer = setTimeout(() => void this.save(), wait);
  }

  /** Save what is typed; a save that is under way comes first. Says whether everything is stored. */
  async save() {
    clearTimeout(this.timer);
    while (this.running) await this.running;
    if (this.leaving || !this.isDirty) return !this.isDirty;
    this.running = this.send().finally(() => {
      this.running = null;
    });
    await this.running;
    return !this.isDirty;
  }

  async send() {
    const sent = snapshot(this.form);
    say("waiting", "Saving …");
    /** @type {Response} */
    let response;
    try {
      response = await fetch(this.form.action, {
        method: "POST",
        body: new FormData(this.form),
        headers: { Accept: "application/json" },
        redirect: "error",
      });
    } catch {
      say("refused", "No connection: not saved. Trying again");
      this.timer = setTimeout(() => void this.save(), AGAIN);
      return;
    }
    if (!response.headers.get("Content-Type")?.startsWith("application/json")) {
      say("refused", "Not saved. Press Save to see why");
      return;
    }
    this.take(sent, /** @type {Answer} */ (await response.json()));
  }

  /**
   * @param {string} sent
   * @param {Answer} answer
   */
  take(sent, answer) {
    if (answer.conflict) {
      // The page of the server shows both texts.
      this.leaving = true;
      this.form.requestSubmit();
      return;
    }
    clearErrors(this.form);
    if (!answer.saved) {
      showErrors(this.form, answer.errors ?? {}, answer.message ?? "");
      say("refused", "Not saved: see what is marked");
      return;
    }
    // Names that the server gave are stored already, so they are nothing to save.
    const isAsSent = snapshot(this.form) === sent;
    nameAnswers(this.form, sent, answer.answers ?? []);
    showNumbers(this.form, sent, answer.numbers ?? {});
    this.stored = isAsSent ? snapshot(this.form) : sent;
    field(this.form, "number").value = String(answer.number);
    field(this.form, "base").value = answer.base ?? "";
    if (answer.url && answer.url !== location.pathname) {
      history.replaceState(null, "", answer.url);
      this.form.action = answer.url;
    }
    rename(answer.name ?? "");
    if (this.isDirty) this.later(PAUSE);
    else say("saved", "Saved");
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/**
 * @param {string} to
 * @param {string} words
 */
function say(to, words) {
  if (!state || state.textContent === words) return;
  state.dataset.state = to;
  state.textContent = words;
}

/** @param {string} name */
function rename(name) {
  const isStudy = document.querySelector(".outline__line.is-here a")?.getAttribute("href") === location.pathname && !location.pathname.match(/edit\/./);
  const heading = document.querySelector(isStudy ? "h1" : "[data-part-name]");
  if (heading && name) heading.textContent = name;
  const line = document.querySelector(".outline__line.is-here a[aria-current=page] .outline__name");
  if (line && name && !isStudy) line.textContent = name;
}

/**
 * Alt with an arrow moves the part whose link or button has the focus.
 *
 * @param {KeyboardEvent} event
 */
function moveByKey(event) {
  if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown") || !(event.target instanceof Element)) return;
  const wanted = event.key === "ArrowUp" ? "[data-up]" : "[data-down]";
  const button = event.target.closest("[data-outline] > li")?.querySelector(wanted);
  if (!(button instanceof HTMLButtonElement)) return;
  event.preventDefault();
  button.click();
}

// On a phone the outline would stand between the heading and the form.
const outline = document.querySelector(".outline__fold");
if (outline instanceof HTMLDetailsElement && matchMedia("(max-width: 60rem)").matches && !location.search.includes("focus=")) {
  outline.open = false;
}

if (form) {
  const saver = new Saver(form);
  // A page that the server refused begins with what is not stored.
  if (form.querySelector(".field__error") || document.querySelector("[role=alert]")) saver.stored = "";
  form.addEventListener("input", (event) => {
    growOptions(event);
    saver.later(PAUSE);
  });
  form.addEventListener("change", () => saver.later(0));
  form.addEventListener("submit", (event) => {
    if (saver.running) {
      // What is under way changes the number that the form carries.
      event.preventDefault();
      const submitter = /** @type {SubmitEvent} */ (event).submitter;
      void saver.running.then(() => form.requestSubmit(submitter));
      return;
    }
    clearTimeout(saver.timer);
    saver.leaving = true;
  });
  // What was typed before this module came.
  saver.later(PAUSE);
  document.addEventListener("keydown", moveByKey);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.dataset.leave !== undefined) {
      saver.leaving = true;
      return;
    }
    if (link.hash || !(saver.isDirty || saver.running)) return;
    event.preventDefault();
    void saver.save().then((done) => {
      if (done) location.assign(link.href);
    });
  });
  addEventListener("beforeunload", (event) => {
    if (!saver.leaving && saver.isDirty) event.preventDefault();
  });
}
