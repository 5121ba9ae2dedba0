/**
 * The socket of one page: says hello, keeps at most one unanswered wish and repeats it with the same id until it is
 * answered, pings, comes back after a loss, and stops where the server says so. It knows nothing of the board.
 *
 * @typedef {import("./types.js").ActMessage} ActMessage
 * @typedef {import("./types.js").StateMessage} StateMessage
 * @typedef {import("./types.js").RejectMessage} RejectMessage
 * @typedef {import("./types.js").AckMessage} AckMessage
 * @typedef {import("./types.js").Environment} Environment
 */

import { backoffDelay, QUIET_AFTER_FLOOD, verdictOf } from "./backoff.js";
import { Timers } from "./clock.js";

const PROTOCOL = "playtest.1";
const LIMITS = { open: 10_000, answer: 6_000, pong: 5_000 }; // Milliseconds, as all times here.
const [PING_EVERY, CALM_AFTER] = [10_000, 10_000];
const SAY_AFTER = { saving: 400, offline: 2_000, advice: 60_000 };
const RETRY_BUSY_AFTER = 500;
/** Refusals after which the same wish may be sent again; every other one answers it. */
const AGAIN = new Set(["busy", "slow_down"]);

export class Connection {
  #url;
  #greeting;
  #handlers;
  #environment;
  #timers;
  /** @type {WebSocket | null} */
  #socket = null;
  #attempt = 0;
  #badCloses = 0;
  #flooded = false;
  #claimNew = true;
  /** @type {number | null} */
  #epoch = null;
  /** @type {string | null} */
  #round = null;
  #seq = 0;
  #over = false;
  #ended = false;
  /** @type {ActMessage | null} */
  #pending = null;
  #pings = 0;
  #pingAt = 0;
  /** @type {number | null} */
  #rtt = null;
  /** @type {import("./types.js").Status} */
  #status = { link: "connecting", saving: false, unsaved: false, banner: false, advice: false };

  /**
   * @param {string} url
   * @param {() => Record<string, unknown>} greeting what each hello says beside identity: language, motion, build
   * @param {import("./types.js").Handlers} handlers
   * @param {Environment} environment
   */
  constructor(url, greeting, handlers, environment) {
    this.#url = url;
    this.#greeting = greeting;
    this.#handlers = handlers;
    this.#environment = environment;
    this.#timers = new Timers(environment.clock);
    this.tab = environment.name(11);
  }

  get isReady() {
    return this.#status.link === "online" && !this.#pending && !this.#over;
  }

  start() {
    this.#watchLoss();
    this.#connect();
  }

  /** Takes the round into this page, after another one had it. */
  playHere() {
    this.#claimNew = true;
    this.#attempt = 0;
    this.#pending = null;
    this.start();
  }

  /** The network or the page is back: try at once, or see whether the socket still lives. */
  wake() {
    if (this.#status.link === "stopped") return;
    if (this.#status.link === "waiting") {
      if (!this.#flooded) this.#connect();
    } else if (this.#status.link === "online") {
      this.#ping();
    }
  }

  /**
   * Sends a wish to move. False if there is one open already, or no link.
   * @param {ActMessage["action"]} action
   * @param {{think: number, anim: number, hidden: number}} times
   * @param {import("./types.js").InputMode} input
   */
  act(action, times, input) {
    if (!this.isReady || this.#round === null) return false;
    const id = this.#environment.name(12);
    this.#pending = { t: "act", round: this.#round, seq: this.#seq + 1, id, action, ...times, input };
    this.#timers.set("saving", SAY_AFTER.saving, () => this.#show({ saving: true }));
    this.#sendPending();
    return true;
  }

  /**
   * Sends what the server may have and may lose.
   * @param {Record<string, unknown>} message
   */
  tell(message) {
    if (this.#status.link !== "online" || !this.#socket) return false;
    this.#send(message);
    return true;
  }

  #connect() {
    this.#dropSocket();
    this.#timers.clear("retry");
    this.#show({ link: "connecting" });
    const socket = this.#environment.open(this.#url, PROTOCOL);
    this.#socket = socket;
    this.#timers.set("open", LIMITS.open, () => this.#lost());
    socket.onopen = () => {
      if (this.#socket !== socket) return;
      const isNew = this.#claimNew || this.#epoch === null;
      this.#send({
        t: "hello",
        v: 1,
        tab: this.tab,
        claim: isNew ? "new" : "resume",
        epoch: isNew ? null : this.#epoch,
        round: isNew ? null : this.#round,
        ...this.#greeting(),
      });
      this.#timers.set("open", LIMITS.answer, () => this.#lost());
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(event.data);
    };
    socket.onclose = (event) => {
      if (this.#socket === socket) this.#closed(event.code);
    };
  }

  /** @param {unknown} data */
  #receive(data) {
    this.#timers.clear("pong");
    const message = JSON.parse(String(data));
    if (message.t === "state") this.#receiveState(message);
    else if (message.t === "ack") this.#receiveAck(message);
    else if (message.t === "reject") this.#receiveReject(message);
    else if (message.t === "hint") this.#receiveHint(message);
    else if (message.t === "taken") this.#stop("taken");
    else if (message.t === "limit") this.#handlers.limit(message);
    else if (message.t === "pong") this.#rtt = Math.round(this.#environment.clock.now() - this.#pingAt);
    else if (message.t === "end") {
      this.#ended = true;
      this.#handlers.end(message);
    } else if (message.t === "error") {
      if (message.code === "storage") this.#show({ unsaved: true });
      this.#handlers.error(message);
    }
  }

  /** @param {StateMessage} state */
  #receiveState(state) {
    this.#timers.clear("open");
    if (!state.owner) return;
    const pending = this.#pending;
    this.#epoch = state.epoch;
    this.#round = state.round;
    this.#seq = state.seq;
    this.#over = state.over !== null;
    this.#claimNew = false;
    const resend = pending !== null && pending.round === state.round && state.seq < pending.seq && !this.#over;
    if (!resend) this.#settle();
    this.#timers.clear("banner", "advice");
    this.#timers.set("calm", CALM_AFTER, () => {
      this.#attempt = 0;
      this.#badCloses = 0;
    });
    this.#timers.set("ping", PING_EVERY, () => this.#ping());
    this.#handlers.state(state);
    this.#show({ link: "online", banner: false, advice: false });
    if (resend) this.#sendPending();
  }

  /** @param {AckMessage} ack */
  #receiveAck(ack) {
    if (ack.round !== this.#round) return;
    if (ack.id !== this.#pending?.id) {
      // Of a wish that this page no longer knows: where it moved the round on, the whole state says how it stands.
      if (ack.seq > this.#seq) this.#send({ t: "state?" });
      return;
    }
    this.#seq = ack.seq;
    this.#over = ack.over !== null;
    this.#settle();
    this.#handlers.ack(ack);
  }

  /** @param {RejectMessage} reject */
  #receiveReject(reject) {
    if (reject.id !== this.#pending?.id) return;
    if (AGAIN.has(reject.reason)) {
      this.#timers.clear("answer");
      this.#timers.set("again", reject.retry_ms ?? RETRY_BUSY_AFTER, () => this.#sendPending());
      return;
    }
    this.#settle();
    this.#handlers.reject(reject);
  }

  /** A hint of another board than the one that stands is of no use. @param {import("./types.js").HintMessage} hint */
  #receiveHint(hint) {
    if (hint.round === this.#round && hint.seq === this.#seq && !this.#pending) this.#handlers.hint(hint);
  }

  #sendPending() {
    if (!this.#pending || this.#socket?.readyState !== 1) return;
    this.#send(this.#pending);
    this.#timers.set("answer", LIMITS.answer, () => this.#lost());
  }

  #settle() {
    this.#pending = null;
    this.#timers.clear("saving", "answer", "again");
    this.#show({ saving: false, unsaved: false });
  }

  #ping() {
    this.#pings += 1;
    this.#pingAt = this.#environment.clock.now();
    this.#send({ t: "ping", n: this.#pings, ...(this.#rtt === null ? {} : { rtt: this.#rtt }) });
    this.#timers.set("pong", LIMITS.pong, () => this.#lost());
    this.#timers.set("ping", PING_EVERY, () => this.#ping());
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** No answer: a browser may not notice for minutes that a socket is dead. */
  #lost() {
    this.#closed(1006);
  }

  /** @param {number} code */
  #closed(code) {
    this.#dropSocket();
    if (this.#ended) return this.#stop("finished");
    const verdict = verdictOf(code);
    if (verdict === "retry_once") {
      this.#badCloses += 1;
      if (this.#badCloses > 1) return this.#stop("reload");
    } else if (verdict !== "retry" && verdict !== "wait") {
      return this.#stop(verdict);
    }
    this.#flooded = verdict === "wait";
    const delay = this.#flooded ? QUIET_AFTER_FLOOD : backoffDelay(this.#attempt, this.#environment.random());
    this.#attempt += 1;
    this.#watchLoss();
    this.#show({ link: "waiting" });
    this.#timers.set("retry", delay, () => this.#connect());
  }

  #watchLoss() {
    if (this.#status.banner || this.#timers.isSet("banner")) return;
    this.#timers.set("banner", SAY_AFTER.offline, () => this.#show({ banner: true }));
    this.#timers.set("advice", SAY_AFTER.advice, () => this.#show({ advice: true }));
  }

  #dropSocket() {
    const socket = this.#socket;
    this.#socket = null;
    this.#timers.clear("open", "answer", "again", "ping", "pong", "calm");
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** @param {import("./types.js").StopReason} reason */
  #stop(reason) {
    this.#dropSocket();
    this.#timers.clearAll();
    this.#pending = null;
    this.#show({ link: "stopped", saving: false, unsaved: false, banner: false, advice: false });
    this.#handlers.stopped(reason);
  }

  /** @param {Partial<import("./types.js").Status>} change */
  #show(change) {
    const before = JSON.stringify(this.#status);
    this.#status = { ...this.#status, ...change };
    if (JSON.stringify(this.#status) !== before) this.#handlers.status(this.#status);
  }
}
