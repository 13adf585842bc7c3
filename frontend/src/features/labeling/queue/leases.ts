import { serverNow } from "../../../api/clock";
import { ApiError } from "../../../api/errors";
import type { Clock, Pace, QueueView } from "./pace";

/** Leases are renewed when less than this is left of them and somebody is at work. */
const RENEW_MS = 120_000;
const LEAST_RENEW_MS = 15_000;
/** After which the server is asked again where it could not be reached. */
export const RETRY_MS = 2_500;
const HIDDEN_MS = 20_000;

type Waits = Pick<Pace, "waitMs" | "catchUpMs">;
type Standing = Pick<QueueView<never>, "phase" | "paused" | "error">;

type Parts = {
  waits: Waits;
  clock: Clock;
  /** Lease once, and say in `view` what has come of it; never fails. */
  lease: () => Promise<void>;
  view: () => Standing;
};

/** Leases at the right times, one at a time: in time before what is held runs out, and until there is something. */
export class Leases {
  /** When what is held runs out. */
  expiresAt = 0;
  /** Little is left to do because the server did not know yet what was done. */
  isBehind = false;
  readonly #parts: Parts;
  readonly #clock: Required<Clock>;
  #underWay: Promise<void> | null = null;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#clock = { now: serverNow, isHidden: () => document.hidden, ...parts.clock };
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether others may hold what is held here. */
  get areOver(): boolean {
    return this.#left <= 0;
  }

  /** Whether it is time to renew them. */
  get areShort(): boolean {
    return this.#left < RENEW_MS;
  }

  get #left(): number {
    return this.expiresAt - this.#clock.now();
  }

  /** Lease now, unless there is a break. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    if (this.#parts.view().paused) return;
    this.#underWay ??= this.#parts.lease().finally(() => {
      this.#underWay = null;
      this.#schedule();
    });
  };

  /** Lease no more until woken, and let go; a lease on its way would be held for nobody. */
  rest(letGo: () => void): void {
    clearTimeout(this.#timer);
    if (this.#underWay) void this.#underWay.then(() => this.#parts.view().paused && letGo());
    else letGo();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Ask again later: for renewal while there is something to do, for more when not. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const { phase, paused, error } = this.#parts.view();
    if (this.#stopped || paused || isOver(error)) return;
    if (phase === "working" && !error) {
      const again = () => (this.#clock.stopwatch.attentive ? this.wake() : this.#schedule());
      this.#timer = setTimeout(again, this.#renewAfter());
    } else {
      this.#timer = setTimeout(this.wake, this.#askAgainAfter(phase));
    }
  }

  /**
   * Milliseconds until what is held is renewed.
   *
   * Where little is left it is filled up as soon as verdicts may have arrived: the network can go at any
   * time, and work goes on with what is here.
   */
  #renewAfter(): number {
    if (this.isBehind) return this.#parts.waits.catchUpMs;
    return Math.max(this.#left - RENEW_MS, LEAST_RENEW_MS);
  }

  /** Milliseconds until the server is asked again, spread so that not all ask at once. */
  #askAgainAfter(phase: Standing["phase"]): number {
    const { waitMs, catchUpMs } = this.#parts.waits;
    const delays = { loading: catchUpMs, waiting: waitMs, working: RETRY_MS, failed: RETRY_MS };
    const idles = this.#clock.isHidden() && phase !== "loading";
    const delay = idles ? Math.max(HIDDEN_MS, waitMs) : delays[phase];
    return delay * (0.8 + Math.random() * 0.4);
  }
}

/** What is forbidden or gone stays so; a session can be renewed, and a conflict can pass. */
const isOver = (error: Error | null): boolean =>
  error instanceof ApiError && [403, 404].includes(error.status);
