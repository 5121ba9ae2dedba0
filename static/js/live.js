/**
 * Keeps parts of a staff page up to date. A part is an element with
 *   data-live-topic   what it shows: "run:7", or several topics with blanks between them
 *   data-live-url     where its newest form is: 304 if nothing is newer than ?rev=, else the whole element
 *   data-live-rev     the revision that it shows
 * A part that comes without a topic is final and not asked for again. Hints arrive by the staff progress socket; on
 * a hint, on every connection, when shown again and every ten seconds without a hint the part is fetched.
 *
 * An element with `data-live-status` says in words how the page is kept up to date; a button with `data-live-pause` stops
 * and resumes that. A page that is paused watches nothing and asks for nothing.
 */

import { morph } from "./live/morph.js";
import { StaffSocket } from "./live/socket.js";
import { browserClock } from "./play/clock.js";

const POLL_EVERY = 10_000;
/** A page that is asked for again and again by hints takes a breath between two answers. */
const BREATH = 250;

const TEXTS = {
  live: "Live",
  polling: "Updated every 10 seconds",
  failing: "No answer from the server. What you see may be old; trying again.",
  paused: "Paused. What you see may be old.",
  signed_out: "You are signed out. Sign in to see what is new.",
};

/** @type {Map<HTMLElement, Part>} */
const parts = new Map();

class Part {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #fetching = false;
  #again = false;
  failing = false;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.poll();
  }

  get topics() {
    return (this.element.dataset.liveTopic ?? "").split(" ").filter(Boolean);
  }

  poll() {
    clearTimeout(this.#timer);
    if (!document.hidden && !paused) this.#timer = setTimeout(() => void this.refresh(), POLL_EVERY);
  }

  rest() {
    clearTimeout(this.#timer);
  }

  /** Fetches the newest form; a call during a fetch leads to one more afterwards. */
  async refresh() {
    if (this.#fetching) {
      this.#again = true;
      return;
    }
    this.#fetching = true;
    this.#again = false;
    try {
      await this.#fetch();
      this.failing = false;
    } catch (error) {
      // The network or the server is away; the next poll asks again.
      if (!(error instanceof TypeError) && !(error instanceof ServerError)) throw error;
      this.failing = true;
    } finally {
      this.#fetching = false;
    }
    showStatus();
    if (!parts.has(this.element)) return;
    if (this.#again && !paused) setTimeout(() => void this.refresh(), BREATH);
    else this.poll();
  }

  async #fetch() {
    const url = new URL(this.element.dataset.liveUrl ?? "", document.baseURI);
    url.searchParams.set("rev", this.element.dataset.liveRev ?? "");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { "X-Requested-With": "live" },
      cache: "no-store",
      signal: AbortSignal.timeout(POLL_EVERY),
    }).catch((error) => {
      throw error instanceof DOMException ? new ServerError("too slow") : error;
    });
    if (response.status === 304) return;
    if (response.type === "opaqueredirect" || response.status === 401 || response.status === 403) {
      signOut();
      return;
    }
    if (response.status === 404) {
      this.#end();
      return;
    }
    if (!response.ok) throw new ServerError(String(response.status));
    this.#show(await response.text());
  }

  /** @param {string} html */
  #show(html) {
    const wanted = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
    // What was asked for before the pause comes too late.
    if (!wanted || !this.element.isConnected || paused) return;
    const before = this.topics.join(" ");
    morph(this.element, document.importNode(wanted, true));
    this.element.dispatchEvent(new CustomEvent("live:changed", { bubbles: true }));
    if (this.topics.length === 0) this.#end();
    else if (this.topics.join(" ") !== before) watch();
  }

  #end() {
    this.rest();
    parts.delete(this.element);
    watch();
    showStatus();
  }
}

class ServerError extends Error {}

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const socket = new StaffSocket(
  `${scheme}//${location.host}/ws/staff`,
  { hint: (topic) => refresh((part) => part.topics.includes(topic)), connected: () => refresh(), signedOut: signOut },
  { open: (url, protocol) => new WebSocket(url, protocol), clock: browserClock, random: Math.random },
);

let signedOut = false;
let paused = false;

/** @param {(part: Part) => boolean} wanted */
function refresh(wanted = () => true) {
  if (!paused) for (const part of [...parts.values()]) if (wanted(part)) void part.refresh();
  showStatus();
}

function watch() {
  const topics = document.hidden || paused ? [] : [...parts.values()].flatMap((part) => part.topics);
  socket.watch([...new Set(topics)]);
}

function signOut() {
  signedOut = true;
  for (const part of parts.values()) part.rest();
  parts.clear();
  socket.watch([]);
  showStatus();
}

/** Takes up the parts that are in the page and lets go of those that left it. */
function collect() {
  if (signedOut) return;
  let changed = false;
  for (const [element, part] of parts) {
    if (element.isConnected) continue;
    part.rest();
    parts.delete(element);
    changed = true;
  }
  for (const element of document.querySelectorAll("[data-live-topic][data-live-url]")) {
    const part = /** @type {HTMLElement} */ (element);
    if (parts.has(part)) continue;
    parts.set(part, new Part(part));
    changed = true;
  }
  if (changed) watch();
}

function showStatus() {
  const failing = [...parts.values()].some((part) => part.failing);
  const state = signedOut ? "signed_out" : paused ? "paused" : failing ? "failing" : socket.isOpen ? "live" : "polling";
  for (const element of document.querySelectorAll("[data-live-status]")) {
    const status = /** @type {HTMLElement} */ (element);
    status.hidden = parts.size === 0 && !signedOut;
    status.dataset.liveStatus = state;
    if (status.textContent !== TEXTS[state]) status.textContent = TEXTS[state];
  }
  for (const element of document.querySelectorAll("[data-live-pause]")) {
    const button = /** @type {HTMLElement} */ (element);
    button.hidden = parts.size === 0 || signedOut;
    button.textContent = paused ? "Resume updates" : "Pause updates";
  }
}

/** @param {boolean} wanted */
function setPaused(wanted) {
  paused = wanted;
  if (paused) for (const part of parts.values()) part.rest();
  watch();
  refresh();
}

document.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest("[data-live-pause]")) setPaused(!paused);
});

document.addEventListener("visibilitychange", () => {
  watch();
  if (document.hidden) for (const part of parts.values()) part.rest();
  else refresh();
});
addEventListener("online", () => {
  socket.wake();
  refresh();
});
addEventListener("pageshow", (event) => {
  if (event.persisted) refresh();
});

collect();
showStatus();
new MutationObserver(collect).observe(document.body, { childList: true, subtree: true });
