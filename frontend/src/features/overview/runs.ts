import type { Comparable, Round } from "../../api/types";

export type Run = { id: number; name: string; strategy: string; rounds: Round[] };
export type Spread = { x: number; y: number; low: number; high: number; runs: number };
/** The runs of one strategy: a line, and from two runs on a band of mean ± standard deviation. */
export type Curve = { name: string; runs: number; points: Spread[] };

/** The repetitions among other projects: the same strategy over the same pool with another seed. */
export const repeatsOf = (
  own: { strategy: string; seed: number },
  others: Comparable[],
): Comparable[] =>
  others.filter((one) => one.same_pool && one.strategy === own.strategy && one.seed !== own.seed);

type Value = (round: Round) => number | null;

const isDone = ({ state }: Round): boolean => state === "closed" || state === "closing";

/** One curve for each strategy; seeds and repetitions of it are one curve. */
export function curvesOf(runs: Run[], value: Value): Curve[] {
  const strategies = [...new Set(runs.map((run) => run.strategy))];
  return strategies
    .map((name) => {
      const mine = runs.filter((run) => run.strategy === name);
      return { name, runs: mine.length, points: spread(mine, value) };
    })
    .filter(({ points }) => points.length > 0);
}

function spread(runs: Run[], value: Value): Spread[] {
  const byRound = new Map<number, number[]>();
  for (const round of runs.flatMap((run) => run.rounds.filter(isDone))) {
    const y = value(round);
    if (y !== null) byRound.set(round.number, [...(byRound.get(round.number) ?? []), y]);
  }
  return [...byRound]
    .sort(([one], [other]) => one - other)
    .map(([x, ys]) => {
      const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
      const squares = ys.reduce((sum, y) => sum + (y - mean) ** 2, 0);
      const deviation = ys.length > 1 ? Math.sqrt(squares / (ys.length - 1)) : 0;
      return { x, y: mean, low: mean - deviation, high: mean + deviation, runs: ys.length };
    });
}
