import assert from "node:assert/strict";
import { test } from "node:test";

import { Connection } from "../../static/js/play/connection.js";
import { FakeClock, FakeSocket } from "./doubles.js";

const TIMES = { think: 1200, anim: 300, hidden: 0 };
const SWAP = [[3, 2], [3, 3]];

function stateOf(change = {}) {
  return {
    t: "state", v: 1, epoch: 4, owner: true, round: "2.1", n: 2, of: 6, purpose: "scored", game: "match3",
    rows: 7, cols: 7, board: [], seq: 6, last: null, score: 780, left: 14, over: null,
    anim: { swap: 180, step: 320, cap: 2500 }, say: "", ...change,
  };
}

/** A connection with a test at the other end: `sockets` in the order in which they were opened. */
function begin() {
  const clock = new FakeClock();
  const sockets = [];
  const told = { state: [], ack: [], reject: [], end: [], hint: [], error: [], status: [], stopped: [] };
  const handlers = Object.fromEntries(Object.keys(told).map((name) => [name, (value) => told[name].push(value)]));
  let names = 0;
  const connection = new Connection("ws://host/ws/play/x", () => ({ lang: "en", motion: "full", build: "b1" }), handlers, {
    open: (url, protocol) => {
      sockets.push(new FakeSocket(url, protocol));
      return sockets.at(-1);
    },
    clock,
    random: () => 1,
    name: (length) => `${"n".repeat(length - 2)}${String(names++).padStart(2, "0")}`,
  });
  connection.start();
  return { clock, sockets, told, connection, status: () => told.status.at(-1) };
}

/** ... that has its first state. */
function online(change = {}) {
  const game = begin();
  game.sockets[0].accept();
  game.sockets[0].say(stateOf(change));
  return game;
}

function ackOf(act, change = {}) {
  return { t: "ack", round: act.round, seq: act.seq, id: act.id, dup: false, gained: 60, score: 840, left: 13,
    frames: [], board: [], over: null, say: "", ...change };
}

test("a page that was just loaded claims the round as new, under the play protocol", () => {
  const { sockets } = begin();
  sockets[0].accept();
  assert.equal(sockets[0].protocol, "playtest.1");
  const [hello] = sockets[0].sent;
  assert.deepEqual(hello, { t: "hello", v: 1, tab: hello.tab, claim: "new", epoch: null, round: null,
    lang: "en", motion: "full", build: "b1" });
  assert.match(hello.tab, /^[\w-]{8,36}$/);
});

test("a second action waits until the first is answered", () => {
  const { connection, sockets, told } = online();
  assert.ok(connection.act(SWAP, TIMES, "drag"));
  assert.ok(!connection.act(SWAP, TIMES, "drag"));
  const [act] = sockets[0].of("act");
  assert.deepEqual(act, { t: "act", round: "2.1", seq: 7, id: act.id, action: SWAP, ...TIMES, input: "drag" });
  sockets[0].say(ackOf(act));
  assert.equal(told.ack.length, 1);
  assert.ok(connection.act(SWAP, TIMES, "key"));
  assert.equal(sockets[0].of("act")[1].seq, 8);
  assert.notEqual(sockets[0].of("act")[1].id, act.id);
});

test("a refused swap frees the page for the next one with the same number", () => {
  const { connection, sockets, told } = online();
  connection.act(SWAP, TIMES, "click");
  const [act] = sockets[0].of("act");
  sockets[0].say({ t: "reject", round: "2.1", seq: 7, id: act.id, reason: "illegal", retry_ms: null, say: "No" });
  assert.equal(told.reject.length, 1);
  connection.act(SWAP, TIMES, "click");
  assert.equal(sockets[0].of("act")[1].seq, 7);
});

test("a move that never arrived is sent again as it was, after the same tab has resumed", () => {
  const { connection, sockets, clock } = online();
  connection.act(SWAP, TIMES, "drag");
  sockets[0].drop(1006);
  clock.advance(250);
  sockets[1].accept();
  assert.deepEqual(sockets[1].sent[0], { ...sockets[0].sent[0], claim: "resume", epoch: 4, round: "2.1" });
  sockets[1].say(stateOf({ epoch: 5 }));
  assert.deepEqual(sockets[1].of("act"), sockets[0].of("act"));
  assert.ok(!connection.isReady);
});

test("a move whose acknowledgement was lost counts as acknowledged", () => {
  const { connection, sockets, clock, told } = online();
  connection.act(SWAP, TIMES, "drag");
  const [act] = sockets[0].of("act");
  sockets[0].drop(1006);
  clock.advance(250);
  sockets[1].accept();
  sockets[1].say(stateOf({ epoch: 5, seq: 7, last: { seq: 7, id: act.id } }));
  assert.deepEqual(sockets[1].of("act"), []);
  assert.equal(told.state.length, 2);
  assert.ok(connection.isReady);
});

test("a move in whose place another one stands is given up", () => {
  const { connection, sockets, clock } = online();
  connection.act(SWAP, TIMES, "drag");
  sockets[0].drop(1006);
  clock.advance(250);
  sockets[1].accept();
  sockets[1].say(stateOf({ epoch: 5, seq: 7, last: { seq: 7, id: "another-one" } }));
  assert.deepEqual(sockets[1].of("act"), []);
  assert.ok(connection.isReady);
});

test("an action that is not answered within six seconds is repeated on a new socket", () => {
  const { connection, sockets, clock } = online();
  connection.act(SWAP, TIMES, "drag");
  clock.advance(5999);
  assert.equal(sockets.length, 1);
  clock.advance(1 + 250);
  assert.equal(sockets.length, 2);
  assert.ok(sockets[0].isClosedByPage);
});

test("busy and slow_down keep the wish and send it again later under the same id", () => {
  const { connection, sockets, clock } = online();
  connection.act(SWAP, TIMES, "drag");
  const [act] = sockets[0].of("act");
  sockets[0].say({ t: "reject", round: "2.1", seq: 7, id: act.id, reason: "slow_down", retry_ms: 900, say: "" });
  clock.advance(899);
  assert.equal(sockets[0].of("act").length, 1);
  clock.advance(1);
  assert.deepEqual(sockets[0].of("act"), [act, act]);
});

test("an answer to another wish than the open one is not taken for its answer", () => {
  const { connection, sockets, told } = online();
  connection.act(SWAP, TIMES, "drag");
  const [act] = sockets[0].of("act");
  sockets[0].say(ackOf(act, { id: "some-other-id" }));
  assert.equal(told.ack.length, 0);
  assert.equal(sockets[0].of("state?").length, 1);
  assert.ok(!connection.isReady);
});

test("saving is said after 400 ms, offline after two seconds, advice after a minute", () => {
  const { connection, sockets, clock, status } = online();
  connection.act(SWAP, TIMES, "drag");
  clock.advance(399);
  assert.ok(!status().saving);
  clock.advance(1);
  assert.ok(status().saving);
  sockets[0].drop(1006);
  assert.ok(!status().banner);
  clock.advance(2000);
  assert.ok(status().banner && status().saving && !status().advice);
  clock.advance(58_000);
  assert.ok(status().advice);
  connection.wake();
  sockets.at(-1).accept();
  sockets.at(-1).say(stateOf({ epoch: 5 }));
  assert.ok(!status().banner && !status().advice);
});

test("tries follow the back-off and begin anew after ten calm seconds", () => {
  const { sockets, clock } = online();
  clock.advance(10_000);
  for (const wait of [250, 500, 1000]) {
    sockets.at(-1).drop(1006);
    const before = sockets.length;
    clock.advance(wait - 1);
    assert.equal(sockets.length, before);
    clock.advance(1);
    assert.equal(sockets.length, before + 1);
  }
  sockets.at(-1).accept();
  sockets.at(-1).say(stateOf());
  sockets.at(-1).drop(1006);
  clock.advance(1999);
  const short = sockets.length;
  clock.advance(1);
  assert.equal(sockets.length, short + 1, "a short success does not reset the wait");
  sockets.at(-1).accept();
  sockets.at(-1).say(stateOf());
  clock.advance(10_000);
  sockets.at(-1).drop(1006);
  clock.advance(250);
  assert.equal(sockets.length, short + 2);
});

test("when the network is back the page tries at once", () => {
  const { connection, sockets } = online();
  sockets[0].drop(1006);
  connection.wake();
  assert.equal(sockets.length, 2);
});

test("a ping goes out every ten seconds and carries the last round trip", () => {
  const { sockets, clock } = online();
  clock.advance(10_000);
  assert.deepEqual(sockets[0].of("ping"), [{ t: "ping", n: 1 }]);
  clock.advance(31);
  sockets[0].say({ t: "pong", n: 1 });
  clock.advance(9969);
  assert.deepEqual(sockets[0].of("ping")[1], { t: "ping", n: 2, rtt: 31 });
});

test("a socket that says nothing for five seconds after a ping is dead", () => {
  const { sockets, clock, status } = online();
  clock.advance(10_000 + 5000);
  assert.ok(sockets[0].isClosedByPage);
  assert.equal(status().link, "waiting");
});

test("any word from the server proves that the socket lives", () => {
  const { sockets, clock, status } = online();
  clock.advance(10_000);
  sockets[0].say({ t: "note", k: "restart", in_ms: 3000 });
  clock.advance(5000);
  assert.equal(status().link, "online");
});

test("a page whose round was taken elsewhere stops, and comes back only when asked", () => {
  const { connection, sockets, clock, told } = online();
  sockets[0].say({ t: "taken", by: "other_tab" });
  sockets[0].drop(4409);
  clock.advance(600_000);
  connection.wake();
  assert.equal(sockets.length, 1);
  assert.deepEqual(told.stopped, ["taken"]);
  connection.playHere();
  sockets[1].accept();
  assert.equal(sockets[1].sent[0].claim, "new");
  assert.equal(sockets[1].sent[0].epoch, null);
});

test("a state that says another one owns the round is not drawn", () => {
  const { sockets, told } = begin();
  sockets[0].accept();
  sockets[0].say(stateOf({ owner: false }));
  sockets[0].say({ t: "taken", by: "other_tab" });
  assert.equal(told.state.length, 0);
  assert.deepEqual(told.stopped, ["taken"]);
});

for (const [code, reason] of [[4401, "identity"], [4409, "taken"], [4410, "ended"], [4426, "version"]]) {
  test(`close code ${code} ends the connection: ${reason}`, () => {
    const { sockets, clock, told } = online();
    sockets[0].drop(code);
    clock.advance(600_000);
    assert.equal(sockets.length, 1);
    assert.deepEqual(told.stopped, [reason]);
  });
}

test("after bad messages the page connects once more, then offers to reload", () => {
  const { sockets, clock, told } = online();
  sockets[0].drop(4400);
  clock.advance(250);
  assert.equal(sockets.length, 2);
  sockets[1].accept();
  sockets[1].drop(1009);
  clock.advance(600_000);
  assert.equal(sockets.length, 2);
  assert.deepEqual(told.stopped, ["reload"]);
});

test("after a flood the page is quiet for half a minute, even if it wakes", () => {
  const { connection, sockets, clock } = online();
  sockets[0].drop(4429);
  clock.advance(29_999);
  connection.wake();
  assert.equal(sockets.length, 1);
  clock.advance(1);
  assert.equal(sockets.length, 2);
});

test("after the end of a round a closed socket is no loss", () => {
  const { sockets, clock, told, status } = online();
  sockets[0].say({ t: "end", round: "2.1", reason: "moves", score: 4510, next: "/s/x/next" });
  sockets[0].drop(4410);
  clock.advance(5000);
  assert.deepEqual(told.stopped, ["finished"]);
  assert.ok(!status().banner);
});

test("a finished round takes no more wishes", () => {
  const { connection } = online({ over: { reason: "moves" } });
  assert.ok(!connection.act(SWAP, TIMES, "key"));
});

test("a move that the server could not store stays open and is said to be", () => {
  const { connection, sockets, clock, status, told } = online();
  connection.act(SWAP, TIMES, "drag");
  sockets[0].say({ t: "error", code: "storage", say: "Not saved yet.", fatal: false });
  assert.ok(status().unsaved);
  sockets[0].drop(4503);
  clock.advance(250);
  sockets[1].accept();
  sockets[1].say(stateOf({ epoch: 5 }));
  const [act] = sockets[1].of("act");
  sockets[1].say(ackOf(act));
  assert.equal(told.ack.length, 1);
  assert.ok(!status().unsaved);
});
