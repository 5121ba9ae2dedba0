/**
 * The staff progress socket: watches topics, hears hints, pings, comes back after a loss. Hints may be lost, so whoever
 * uses it also asks by itself from time to time.
 *
 * @typedef {object} Handlers
 * @property {(topic: string) => void} hint something is newer
 * @property {() => void} connected hints may have been missed meanwhile
 * @property {() => void} signedOut the session is over
 *
 * @typedef {object} Environment  the browser's, or a test's
 * @property {(url: string, protocol: string) => WebSocket} open
 * @property {import("../play/clock.js").Clock} clock
 * @property {() => number} random from 0 to 1
 */

import { backoffDelay, QUIET_AFTER_FLOOD, verdictOf } from "../play/backoff.js";
import { Timers } from "../play/clock.js";

const PROTOCOL = "playtest-staff.1";
const MOST_TOPICS = 20;
/** Milliseconds. */
const OPEN_LIMIT = 10_000;
const PING_EVERY = 10_000;
const PONG_LIMIT = 5_000;
const CALM_AFTER = 10_000;

export class StaffSocket {
  #url;
  #handlers;
  #environment;
  #timers;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {string[]} */
  #topics = [];
  #attempt = 0;
  #badCloses = 0;
  #pings = 0;
  #stopped = false;

  /**
   * @param {string} url
   * @param {Handlers} handlers
   * @param {Environment} environment
   */
  constructor(url, handlers, environment) {
    this.#url = url;
    this.#handlers = handlers;
    this.#environment = environment;
    this.#timers = new Timers(environment.clock);
  }

  get isOpen() {
    return this.#socket?.readyState === 1;
  }

  /**
   * Watches these topics and no others. Without topics the socket is closed.
   * @param {string[]} topics
   */
  watch(topics) {
    this.#topics = topics.slice(0, MOST_TOPICS);
    if (this.#stopped) return;
    if (this.#topics.length === 0) this.#close();
    else if (this.isOpen) this.#send({ t: "watch", topics: this.#topics });
    else if (!this.#socket && !this.#timers.isSet("retry")) this.#connect();
  }

  /** The network is back: try at once, or see whether the socket still lives. */
  wake() {
    if (this.#stopped || this.#topics.length === 0) return;
    if (this.isOpen) this.#ping();
    else if (this.#timers.isSet("retry")) this.#connect();
  }

  #connect() {
    this.#timers.clearAll();
    const socket = this.#environment.open(this.#url, PROTOCOL);
    this.#socket = socket;
    this.#timers.set("open", OPEN_LIMIT, () => this.#lost(socket, 1006));
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#timers.clear("open");
      this.#timers.set("calm", CALM_AFTER, () => {
        this.#attempt = 0;
        this.#badCloses = 0;
      });
      this.#send({ t: "watch", topics: this.#topics });
      this.#timers.set("ping", PING_EVERY, () => this.#ping());
      this.#handlers.connected();
    };
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#hear(String(event.data));
    };
    socket.onclose = (event) => this.#lost(socket, event.code);
  }

  /** @param {string} text */
  #hear(text) {
    this.#timers.clear("pong");
    const message = JSON.parse(text);
    if (message.t === "hint") this.#handlers.hint(String(message.topic));
  }

  #ping() {
    if (!this.isOpen) return;
    const socket = this.#socket;
    this.#send({ t: "ping", n: ++this.#pings });
    this.#timers.set("ping", PING_EVERY, () => this.#ping());
    if (socket) this.#timers.set("pong", PONG_LIMIT, () => this.#lost(socket, 1006));
  }

  /** @param {Record<string, unknown>} message */
  #send(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  #lost(socket, code) {
    if (socket !== this.#socket) return;
    this.#close();
    switch (verdictOf(code)) {
      case "identity":
        this.#stopped = true;
        this.#handlers.signedOut();
        return;
      case "retry_once":
        this.#badCloses += 1;
        if (this.#badCloses > 1) this.#stopped = true;
        break;
      case "wait":
        this.#timers.set("retry", QUIET_AFTER_FLOOD, () => this.#connect());
        return;
      default:
    }
    if (this.#stopped || this.#topics.length === 0) return;
    const delay = backoffDelay(this.#attempt, this.#environment.random());
    this.#attempt += 1;
    this.#timers.set("retry", delay, () => this.#connect());
  }

  #close() {
    const socket = this.#socket;
    this.#socket = null;
    this.#timers.clearAll();
    socket?.close();
  }
}
