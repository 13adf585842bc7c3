/** Without a sign of life for this long the annotator counts as away. */
const IDLE_MS = 30_000;
/** And after this long others may have what was leased. */
export const AWAY_MS = 180_000;

/** Measures attention: time in which the page was visible and the annotator not idle. */
export class Stopwatch {
  readonly #now: () => number;
  #counted = 0;
  #since: number | null = null;
  #lastSign = 0;
  #visible = true;
  #started = false;
  #held = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begin at zero: a new image is on screen. */
  start(): void {
    this.#counted = 0;
    this.#started = true;
    this.#lastSign = this.#now();
    this.#since = this.#runs ? this.#lastSign : null;
  }

  /** A key, a click or a movement of the pointer. */
  touch(): void {
    this.#bank();
    this.#lastSign = this.#now();
    if (this.#started && this.#runs) this.#since = this.#lastSign;
  }

  setVisible(visible: boolean): void {
    this.#bank();
    this.#visible = visible;
    this.#since = null;
    if (visible) this.touch();
  }

  /** Count nothing until it is let go: a break, whatever the pointer does meanwhile. */
  hold(held: boolean): void {
    this.#bank();
    this.#held = held;
    if (!held) this.touch();
  }

  /** Seconds of attention since `start`. */
  seconds(): number {
    this.#bank();
    if (this.#started && this.#runs) this.#since = this.#now();
    return this.#counted / 1000;
  }

  /** Whether a sign of life came lately. */
  get attentive(): boolean {
    return this.#visible && this.quietMs < IDLE_MS;
  }

  /** Milliseconds since the last sign of life. */
  get quietMs(): number {
    return this.#now() - this.#lastSign;
  }

  get #runs(): boolean {
    return this.#visible && !this.#held;
  }

  #bank(): void {
    if (this.#since === null) return;
    const until = Math.min(this.#now(), this.#lastSign + IDLE_MS);
    this.#counted += Math.max(0, until - this.#since);
    this.#since = null;
  }
}
