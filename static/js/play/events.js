/** What happens around the play (page hidden, motion switched off, ...), sent in small lots that may be lost. */

const LOT = 20;
const LOT_EVERY = 600;
const KEPT_AT_MOST = 200;

export class EventLog {
  /** @type {{k: string, at: number, d: Record<string, unknown>}[]} */
  #items = [];
  #isWaiting = false;
  #send;

  /** @param {(message: Record<string, unknown>) => boolean} send false where there is no link: the items are kept */
  constructor(send) {
    this.#send = send;
  }

  /** @param {string} kind @param {Record<string, unknown>} [detail] */
  add(kind, detail = {}) {
    this.#items.push({ k: kind, at: Math.round(performance.now()), d: detail });
    if (this.#items.length > KEPT_AT_MOST) this.#items.shift();
    this.flush();
  }

  flush() {
    if (this.#isWaiting || this.#items.length === 0) return;
    const lot = this.#items.slice(0, LOT);
    if (!this.#send({ t: "ev", items: lot })) return;
    this.#items.splice(0, lot.length);
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.flush();
    }, LOT_EVERY);
  }
}
