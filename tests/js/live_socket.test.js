import assert from "node:assert/strict";
import { test } from "node:test";

import { StaffSocket } from "../../static/js/live/socket.js";
import { FakeClock, FakeSocket } from "./doubles.js";

function begin() {
  const clock = new FakeClock();
  const sockets = [];
  const told = { hint: [], connected: 0, signedOut: 0 };
  const handlers = {
    hint: (topic) => told.hint.push(topic),
    connected: () => told.connected++,
    signedOut: () => told.signedOut++,
  };
  const staff = new StaffSocket("ws://host/ws/staff", handlers, {
    open: (url, protocol) => {
      sockets.push(new FakeSocket(url, protocol));
      return sockets.at(-1);
    },
    clock,
    random: () => 1,
  });
  return { clock, sockets, told, staff };
}

function open(topics = ["run:7"]) {
  const page = begin();
  page.staff.watch(topics);
  page.sockets[0].accept();
  return page;
}

test("nothing is opened before there is something to watch", () => {
  const { sockets, staff } = begin();
  staff.watch([]);
  assert.equal(sockets.length, 0);
});

test("on connecting it names its topics under the staff protocol, and the page catches up", () => {
  const { sockets, told } = open(["run:7", "report:91"]);
  assert.equal(sockets[0].protocol, "playtest-staff.1");
  assert.deepEqual(sockets[0].sent, [{ t: "watch", topics: ["run:7", "report:91"] }]);
  assert.equal(told.connected, 1);
});

test("a hint is passed on by its topic", () => {
  const { sockets, told } = open();
  sockets[0].say({ t: "hint", topic: "run:7", rev: 12 });
  sockets[0].say({ t: "denied", topic: "run:8" });
  assert.deepEqual(told.hint, ["run:7"]);
});

test("at most twenty topics are watched", () => {
  const { sockets } = open(Array.from({ length: 30 }, (_, n) => `run:${n + 1}`));
  assert.equal(sockets[0].sent[0].topics.length, 20);
});

test("other topics are told on the open socket; none closes it for good", () => {
  const { clock, sockets, staff } = open();
  staff.watch(["run:8"]);
  assert.deepEqual(sockets[0].of("watch").at(-1).topics, ["run:8"]);
  staff.watch([]);
  assert.ok(sockets[0].isClosedByPage);
  clock.advance(60_000);
  assert.equal(sockets.length, 1);
});

test("it pings every ten seconds, and gives up a socket that does not answer within five", () => {
  const { clock, sockets } = open();
  clock.advance(10_000);
  assert.equal(sockets[0].of("ping").length, 1);
  sockets[0].say({ t: "pong", n: 1 });
  clock.advance(10_000);
  assert.equal(sockets[0].of("ping").length, 2);
  clock.advance(5_000);
  assert.ok(sockets[0].isClosedByPage);
  clock.advance(250);
  assert.equal(sockets.length, 2);
});

test("after a loss it comes back, later from time to time, and at once when the network is there again", () => {
  const { clock, sockets, staff } = open();
  let wait = 0;
  for (const delay of [250, 500, 1000, 2000]) {
    sockets.at(-1).drop(1006);
    clock.advance(delay - 1);
    assert.equal(sockets.length, 1 + wait, `not before ${delay} ms`);
    clock.advance(1);
    wait += 1;
    assert.equal(sockets.length, 1 + wait);
  }
  sockets.at(-1).drop(1006);
  staff.wake();
  assert.equal(sockets.length, 2 + wait);
});

test("a socket that never opens is given up", () => {
  const { clock, sockets, staff } = begin();
  staff.watch(["run:7"]);
  clock.advance(10_000);
  assert.ok(sockets[0].isClosedByPage);
  clock.advance(250);
  assert.equal(sockets.length, 2);
});

test("signed out is final", () => {
  const { clock, sockets, told, staff } = open();
  sockets[0].drop(4401);
  assert.equal(told.signedOut, 1);
  staff.watch(["run:8"]);
  clock.advance(60_000);
  assert.equal(sockets.length, 1);
});

test("bad messages are tried again once, and a flood after half a minute", () => {
  const bad = open();
  bad.sockets[0].drop(4400);
  bad.clock.advance(250);
  bad.sockets[1].accept();
  bad.sockets[1].drop(4400);
  bad.clock.advance(60_000);
  assert.equal(bad.sockets.length, 2);
  const flood = open();
  flood.sockets[0].drop(4429);
  flood.clock.advance(29_999);
  assert.equal(flood.sockets.length, 1);
  flood.clock.advance(1);
  assert.equal(flood.sockets.length, 2);
});

test("what an old socket still says is not heard", () => {
  const { clock, sockets, told } = open();
  sockets[0].drop(1006);
  clock.advance(250);
  sockets[0].say({ t: "hint", topic: "run:7", rev: 1 });
  assert.deepEqual(told.hint, []);
});
