/**
 * One page of play: brings together connection, board, drawing and what stands around them. The server says what happened;
 * input opens when its answer is there and the drawing is done, skipped or over its cap.
 *
 * @typedef {import("./types.js").StateMessage} StateMessage
 * @typedef {import("./types.js").AckMessage} AckMessage
 * @typedef {import("./types.js").RejectMessage} RejectMessage
 */

import { games } from "../games/index.js";
import { Drawer } from "./animate.js";
import { Board } from "./board.js";
import { browserClock } from "./clock.js";
import { Connection } from "./connection.js";
import { EventLog } from "./events.js";
import { Hint } from "./hint.js";
import { Hud } from "./hud.js";
import { randomName } from "./ids.js";
import { Motion } from "./motion.js";
import { watchPage } from "./page.js";
import { part } from "./parts.js";
import { Practice } from "./practice.js";
import { panelOf, panelOfEnd } from "./stopping.js";
import { texts } from "./texts.js";
import { ThinkClock } from "./think.js";
import { TimeLeft } from "./timeleft.js";
import { UndoButton } from "./undo.js";

export class Play {
  #config;
  #board;
  #drawer;
  #hud;
  #motion;
  #time;
  #think = new ThinkClock(browserClock.now);
  #events;
  #connection;
  #undo;
  #hint;
  #practice;
  /** @type {StateMessage | null} */
  #state = null;
  /** @type {import("../games/game.js").Gesture | null} */
  #gesture = null;
  #gestureOf = "";
  /** @type {import("./types.js").EndMessage | null} */
  #end = null;
  /** @type {import("./types.js").Action | "undo" | null} */
  #wished = null;
  #isLinked = false;
  #isOpen = false;
  #isDrawing = false;
  /** Raised by each new picture, so that an older drawing which ends later changes nothing. */
  #picture = 0;

  /**
   * @param {HTMLElement} root
   * @param {import("./types.js").PlayConfig} config
   * @param {string} sprite what stands before `#A` where a piece is used
   */
  constructor(root, config, sprite) {
    this.#config = config;
    this.#board = new Board(part(root, "[data-play=board]", HTMLElement), sprite);
    this.#drawer = new Drawer(this.#board);
    this.#hud = new Hud(root);
    this.#practice = new Practice(root);
    this.#motion = new Motion(
      part(root, "[data-play=motion]", HTMLInputElement),
      part(root, "[data-play=motion-note]", HTMLElement),
      texts.motionAsked,
      () => this.#motionChanged(),
    );
    const address = new URL(config.ws, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    this.#connection = new Connection(address.href, () => this.#greeting(), this.#handlers(), {
      open: (url, protocol) => new WebSocket(url, protocol),
      clock: browserClock,
      random: Math.random,
      name: randomName,
    });
    this.#time = new TimeLeft(root, browserClock, () => this.#connection.tell({ t: "more" }));
    this.#events = new EventLog((message) => this.#connection.tell(message));
    this.#undo = new UndoButton(part(root, "[data-play=undo]", HTMLButtonElement), (input) => this.#wish("undo", input));
    this.#hint = new Hint(browserClock, {
      show: (hint) => this.#showHint(hint),
      hide: () => this.#board.hint([]),
    });
    part(root, "details", HTMLDetailsElement).addEventListener("toggle", () => this.#events.add("help"));
  }

  start() {
    for (const name of ["keydown", "pointerdown", "click"]) {
      this.#board.root.addEventListener(name, () => this.#hint.touched());
    }
    watchPage({
      shown: (isShown) => {
        this.#think.setHidden(!isShown);
        this.#hint.setAway(!isShown);
        if (!isShown) this.#drawer.skip();
      },
      back: () => this.#connection.wake(),
      happened: (kind) => this.#events.add(kind),
    });
    this.#connection.start();
  }

  #greeting() {
    return {
      lang: document.documentElement.lang || "en",
      motion: this.#motion.isFull ? "full" : "reduced",
      build: this.#config.build,
    };
  }

  /** @returns {import("./types.js").Handlers} */
  #handlers() {
    return {
      state: (message) => this.#onState(message),
      ack: (message) => void this.#onAck(message),
      reject: (message) => void this.#onReject(message),
      end: (message) => {
        this.#end = message;
        if (!this.#isDrawing) this.#showEnd();
      },
      limit: (message) => {
        this.#time.show(message);
        this.#hud.say(message.say);
        if (this.#time.isNear) this.#events.add("limit_shown", { left_ms: message.left_ms });
      },
      hint: (message) => this.#hint.offer(message),
      error: (message) => this.#hud.showFault(message.say),
      status: (status) => {
        this.#hud.showStatus(status);
        this.#board.setOff(status.banner || status.link === "stopped");
        const isBack = status.link === "online" && !this.#isLinked;
        this.#isLinked = status.link === "online";
        if (!this.#isLinked) this.#close();
        else if (isBack) this.#openIfReady();
      },
      stopped: (reason) => this.#onStopped(reason),
    };
  }

  /** @param {StateMessage} state */
  #onState(state) {
    this.#state = state;
    this.#end = null;
    this.#picture += 1;
    this.#isDrawing = false;
    this.#drawer.skip();
    this.#drawer.release();
    this.#hud.hidePanel();
    this.#board.setSize(state.rows, state.cols);
    this.#useGame(state.game);
    this.#gesture?.reset();
    this.#gesture?.see(state);
    this.#board.draw(state.board);
    this.#hint.begin(state.hint_after ?? null);
    this.#hud.showRound(state);
    this.#time.show(state.limit);
    if (state.over) this.#close();
    this.#showLeft();
    this.#practice.show(state.checks, state.go_on);
    this.#hud.say(state.say);
    this.#think.open(0);
    this.#openIfReady();
  }

  /** @param {AckMessage} ack */
  async #onAck(ack) {
    if (!this.#state) return;
    const { anim, game } = this.#state;
    const { seq, score, left, used, over, board, groups, worth } = ack;
    this.#state = { ...this.#state, seq, score, left, used, over, board, ...(groups && worth ? { groups, worth } : {}) };
    this.#hint.begin(this.#state.hint_after ?? null);
    this.#hud.say(ack.say);
    this.#practice.show(ack.checks, ack.go_on);
    if (this.#wished === "undo") this.#hud.showWords(texts.undone(ack.gained));
    else this.#hud.showGain(ack.gained);
    this.#showLeft();
    if (ack.frames.some((frame) => frame.f === "shuffle")) this.#events.add("shuffle_shown");
    const steps = this.#motion.isFull && !document.hidden ? games[game].planSteps(ack.frames, anim) : [];
    await this.#draw(() => this.#drawer.play(steps, (points) => this.#hud.addScore(points)), ack.board, ack.score);
  }

  /** @param {RejectMessage} reject */
  async #onReject(reject) {
    if (!this.#state) return;
    this.#hud.say(reject.say);
    this.#practice.show(reject.checks, reject.go_on);
    this.#hud.showWords(reject.say);
    const { game, board, score } = this.#state;
    const wished = this.#motion.isFull && !document.hidden ? this.#wished : null;
    await this.#draw(() => (wished && wished !== "undo" ? games[game].refuse(this.#drawer, wished) : undefined), board, score);
  }

  /**
   * Draws, then shows what the server said stands there now, whatever was drawn before.
   * @param {() => Promise<void> | undefined} draw @param {string[]} board @param {number} score
   */
  async #draw(draw, board, score) {
    const picture = ++this.#picture;
    const startedAt = browserClock.now();
    this.#isDrawing = true;
    await draw();
    if (picture !== this.#picture) return;
    this.#isDrawing = false;
    this.#drawer.release();
    this.#gesture?.see(this.#state ?? {});
    this.#board.draw(board);
    this.#hud.showScore(score);
    this.#think.open(browserClock.now() - startedAt);
    this.#openIfReady();
    this.#showEnd();
  }

  /** @param {import("./types.js").Action | "undo"} action @param {import("./types.js").InputMode} input */
  #wish(action, input) {
    if (!this.#isOpen || !this.#connection.act(action, this.#think.read(), input)) return;
    this.#wished = action;
    this.#close();
    if (action !== "undo" && this.#motion.isFull && this.#state) games[this.#state.game].hold(this.#drawer, action);
  }

  /** @param {string} name of the game */
  #useGame(name) {
    if (this.#gestureOf === name) return;
    this.#gesture?.end();
    this.#gestureOf = name;
    this.#hud.showHelp(name);
    this.#gesture = new games[name].Gesture({
      board: this.#board,
      drawer: this.#drawer,
      isOpen: () => this.#isOpen,
      skip: () => {
        if (!this.#isDrawing) return false;
        this.#drawer.skip();
        this.#events.add("skipped");
        return true;
      },
      wish: (action, input) => this.#wish(action, input),
      preview: (words) => {
        this.#hud.showPreview(words);
        if (words) this.#practice.show(["preview"]);
      },
    });
  }

  #showLeft() {
    if (!this.#state) return;
    const { game, left, used, undo, over } = this.#state;
    this.#hud.showLeft(games[game].leftText(left), left, games[game].wholeMoves(used, left));
    this.#undo.show(undo, used > 0 && !over);
  }

  #openIfReady() {
    if (!this.#state || this.#isDrawing || !this.#connection.isReady) return;
    this.#isOpen = true;
    this.#board.setOpen(true);
    this.#gesture?.opened();
    this.#hint.setOpen(true);
    this.#events.flush();
  }

  #close() {
    this.#isOpen = false;
    this.#hint.setOpen(false);
    this.#board.setOpen(false);
    this.#gesture?.reset();
  }

  /** The focus stays where it is: who looks elsewhere is told by the words. @param {import("./types.js").HintMessage} hint */
  #showHint(hint) {
    this.#board.hint(hint.cells);
    this.#hud.say(hint.say);
    this.#hud.showWords(hint.say);
    this.#events.add("hint_shown", { seq: hint.seq });
  }

  #motionChanged() {
    this.#events.add("settings", { motion: this.#motion.isFull ? "full" : "reduced" });
    if (!this.#motion.isFull) this.#drawer.skip();
  }

  #showEnd() {
    if (this.#end && this.#state?.over) this.#hud.showPanel(panelOfEnd(this.#state, this.#end));
  }

  /** @param {import("./types.js").StopReason} reason */
  #onStopped(reason) {
    const { home, build } = this.#config;
    const panel = panelOf(reason, home, build, () => this.#connection.playHere());
    if (panel) this.#hud.showPanel(panel);
  }
}
