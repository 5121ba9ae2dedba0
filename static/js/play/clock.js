/**
 * Timers by name: setting one again replaces it, so none is ever left over from an earlier socket.
 *
 * @typedef {object} Clock  the browser's, or a test's
 * @property {() => number} now monotonic milliseconds
 * @property {(run: () => void, delay: number) => number} setTimeout
 * @property {(id: number) => void} clearTimeout
 */

/** @type {Clock} */
export const browserClock = {
  now: () => performance.now(),
  setTimeout: (run, delay) => globalThis.setTimeout(run, delay),
  clearTimeout: (id) => globalThis.clearTimeout(id),
};

export class Timers {
  /** @type {Map<string, number>} */
  #ids = new Map();
  #clock;

  /** @param {Clock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {string} name @param {number} delay @param {() => void} run */
  set(name, delay, run) {
    this.clear(name);
    const id = this.#clock.setTimeout(() => {
      this.#ids.delete(name);
      run();
    }, delay);
    this.#ids.set(name, id);
  }

  /** @param {string} name */
  isSet(name) {
    return this.#ids.has(name);
  }

  /** @param {...string} names */
  clear(...names) {
    for (const name of names) {
      const id = this.#ids.get(name);
      if (id !== undefined) this.#clock.clearTimeout(id);
      this.#ids.delete(name);
    }
  }

  clearAll() {
    this.clear(...this.#ids.keys());
  }
}
