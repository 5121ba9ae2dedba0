/** A clock that stands still until it is told, and sockets whose other end is the test. */

export class FakeClock {
  time = 0;
  #next = 1;
  #timers = new Map();

  now = () => this.time;

  setTimeout = (run, delay) => {
    const id = this.#next++;
    this.#timers.set(id, { at: this.time + delay, run });
    return id;
  };

  clearTimeout = (id) => {
    this.#timers.delete(id);
  };

  /** Lets time pass and runs what falls due, in order. */
  advance(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.time = due[1].at;
      due[1].run();
    }
    this.time = end;
  }
}

export class FakeSocket {
  readyState = 0;
  sent = [];
  isClosedByPage = false;
  onopen = null;
  onmessage = null;
  onclose = null;

  constructor(url, protocol) {
    this.url = url;
    this.protocol = protocol;
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
    this.isClosedByPage = true;
  }

  /** What the server does. */
  accept() {
    this.readyState = 1;
    this.onopen?.();
  }

  say(message) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  drop(code) {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  of(type) {
    return this.sent.filter((message) => message.t === type);
  }
}
