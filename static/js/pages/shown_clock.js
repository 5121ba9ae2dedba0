// @ts-check
/** How long a page was shown, and how much of that it was in the background. */

export class ShownClock {
  #now;
  #isHidden;
  #isAway = false;
  #countedTo;
  #shown = 0;
  #hidden = 0;

  /** @param {() => number} now monotonic milliseconds @param {boolean} isHidden whether it begins in the background */
  constructor(now, isHidden) {
    this.#now = now;
    this.#isHidden = isHidden;
    this.#countedTo = now();
  }

  /** @param {boolean} isHidden the page is in the background now, or is not any more */
  setHidden(isHidden) {
    this.#count();
    this.#isHidden = isHidden;
  }

  /** @param {boolean} isAway another page stands in its place now, or it is back */
  setAway(isAway) {
    this.#count();
    this.#isAway = isAway;
  }

  /** Both times up to now, in whole milliseconds. */
  read() {
    this.#count();
    return { shown: Math.round(this.#shown), hidden: Math.round(this.#hidden) };
  }

  #count() {
    const now = this.#now();
    if (!this.#isAway) {
      this.#shown += now - this.#countedTo;
      if (this.#isHidden) this.#hidden += now - this.#countedTo;
    }
    this.#countedTo = now;
  }
}
