import { isOver } from "../queue/pace";
import type { Stopwatch } from "../queue/stopwatch";
import type { GridView } from "./model";

/** Leases are renewed when less than this is left of them and the annotator is at work. */
const RENEW_MS = 120_000;
const LEAST_RENEW_MS = 15_000;
const POLL_MS = 2_500;
const POLL_HIDDEN_MS = 20_000;
const CATCH_UP_MS = 300;

/** What the next lease is for: to keep what is held, to follow answers on their way, or to find work. */
export type Need = "renew" | "catch-up" | "poll" | "none";

export function needOf({ error, phase, paused }: GridView): Need {
  if (paused || isOver(error)) return "none";
  if (error) return "poll";
  return phase === "working" ? "renew" : phase === "loading" ? "catch-up" : "poll";
}

type Parts = {
  /** Lease once; resolves to when the lease runs out, or to null if it failed. */
  lease: () => Promise<number | null>;
  need: () => Need;
  stopwatch: Stopwatch;
  now: () => number;
  isHidden: () => boolean;
};

/** Leases at the right times, one at a time. */
export class LeaseLoop {
  readonly #parts: Parts;
  #leasing: Promise<void> | null = null;
  #expiresAt = 0;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  get isShort(): boolean {
    return this.#expiresAt - this.#parts.now() < RENEW_MS;
  }

  /** Lease now. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    this.#leasing ??= this.#lease().finally(() => {
      this.#leasing = null;
      this.#schedule();
    });
  };

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #lease(): Promise<void> {
    const expiresAt = await this.#parts.lease();
    if (expiresAt !== null) this.#expiresAt = expiresAt;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const need = this.#parts.need();
    if (this.#stopped || need === "none") return;
    if (need === "renew") {
      const left = this.#expiresAt - RENEW_MS - this.#parts.now();
      this.#timer = setTimeout(
        () => {
          if (this.#parts.stopwatch.attentive) this.wake();
          else this.#schedule();
        },
        Math.max(left, LEAST_RENEW_MS),
      );
      return;
    }
    const idle = this.#parts.isHidden() ? POLL_HIDDEN_MS : POLL_MS;
    const delay = need === "catch-up" ? CATCH_UP_MS : idle;
    this.#timer = setTimeout(this.wake, delay * (0.8 + Math.random() * 0.4));
  }
}
