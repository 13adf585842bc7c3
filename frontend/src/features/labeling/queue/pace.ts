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
