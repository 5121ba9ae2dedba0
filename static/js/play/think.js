/**
 * How long a person thought about a move: from the moment that input opened, drawing not counted,
 * time in which the page was hidden counted apart.
 */

export class ThinkClock {
  #now;
  #openedAt = 0;
  #anim = 0;
  #hidden = 0;
  /** @type {number | null} */
  #hiddenSince = null;

  /** @param {() => number} now monotonic milliseconds */
  constructor(now) {
    this.#now = now;
  }

  /**
   * Input has opened after a drawing.
   * @param {number} anim milliseconds that the drawing took
   */
  open(anim) {
    this.#openedAt = this.#now();
    this.#anim = anim;
    this.#hidden = 0;
    if (this.#hiddenSince !== null) this.#hiddenSince = this.#openedAt;
  }

  /** @param {boolean} hidden */
  setHidden(hidden) {
    if (hidden) {
      this.#hiddenSince ??= this.#now();
    } else if (this.#hiddenSince !== null) {
      this.#hidden += this.#now() - this.#hiddenSince;
      this.#hiddenSince = null;
    }
  }

  /** Times of the move that is decided now, in whole milliseconds. */
  read() {
    const now = this.#now();
    const hidden = this.#hidden + (this.#hiddenSince === null ? 0 : now - this.#hiddenSince);
    return { think: Math.round(now - this.#openedAt), anim: Math.round(this.#anim), hidden: Math.round(hidden) };
  }
}
