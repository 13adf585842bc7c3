import { ApiError } from "../../../api/errors";
import type { Lists } from "./lists";
import type { Stopwatch } from "./stopwatch";

/** How much is held at a time, and how often more is asked for. */
export type Pace = {
  /** With this many items left, or fewer, more are leased. */
  refillAt: number;
  /** How many verdicts can be gone back to. */
  reachable: number;
  /** While there is nothing to do. */
  waitMs: number;
  /** While the verdicts on what is leased are still on their way. */
  catchUpMs: number;
};

/** Why nothing is leased: somebody asked for a break, or nobody seemed to be there. */
export type Pause = "asked" | "away";

export type QueueView<Item> = Lists<Item> & {
  phase: "loading" | "working" | "waiting" | "failed";
  /** Everything with a verdict that can be gone back to, the latest last; may hold the current one. */
  trail: Item[];
  paused: Pause | null;
  error: Error | null;
};

/** What is known before the server has answered. */
export const nothingYet = () =>
  ({
    ...{ phase: "loading", current: null, paused: null, error: null },
    ...{ upcoming: [], history: [], trail: [] },
  }) as const satisfies QueueView<never>;

/** `said`: what the server says of the work as it stood when it gave the items out. */
export type Leased<Item, Extra> = { items: Item[]; expiresAt: number; said: Partial<Extra> };

export type Clock = { stopwatch: Stopwatch; now?: () => number; isHidden?: () => boolean };

/** What is forbidden or gone stays so; a session can be renewed, and a conflict can pass. */
export const isOver = (error: Error | null): boolean =>
  error instanceof ApiError && [403, 404].includes(error.status);

/** Leases are renewed when less than this is left of them and somebody is at work. */
export const RENEW_MS = 120_000;
const LEAST_RENEW_MS = 15_000;
const RETRY_MS = 2_500;
const HIDDEN_MS = 20_000;

/** Milliseconds until the server is asked again, spread so that not all ask at once. */
export function askAgainAfter(
  phase: QueueView<unknown>["phase"],
  { waitMs, catchUpMs }: Pace,
  isHidden: boolean,
): number {
  const delays = { loading: catchUpMs, waiting: waitMs, working: RETRY_MS, failed: RETRY_MS };
  const delay = isHidden && phase !== "loading" ? Math.max(HIDDEN_MS, waitMs) : delays[phase];
  return delay * (0.8 + Math.random() * 0.4);
}

/**
 * Milliseconds until a lease with `left` of them is renewed.
 *
 * A `short` one is filled up as soon as verdicts may have arrived: the network can go at any time, and
 * work goes on with what is here.
 */
export function renewAfter(left: number, { catchUpMs }: Pace, short: boolean): number {
  return short ? catchUpMs : Math.max(left - RENEW_MS, LEAST_RENEW_MS);
}
