import type { Comparable, Round } from "../../api/types";
import type { Known } from "../../ui/shares";

export type Run = { id: number; name: string; strategy: string; rounds: Round[] };
export type Spread = { x: number; y: number; low: number; high: number; runs: number };
/**
 * The runs of one strategy: a line, and from two runs on a band of mean ± standard deviation. Of one run
 * `low` and `high` are the ends of its own interval.
 */
export type Curve = { name: string; runs: number; points: Spread[] };

/** The repetitions among other projects: the same strategy over the same pool with another seed. */
export const repeatsOf = (
  own: { strategy: string; seed: number },
  others: Comparable[],
): Comparable[] =>
  others.filter((one) => one.same_pool && one.strategy === own.strategy && one.seed !== own.seed);

/** What a round has measured; null of too little. */
type Value = (round: Round) => Known | null;

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
  const byRound = new Map<number, Known[]>();
  for (const round of runs.flatMap((run) => run.rounds.filter(isDone))) {
    const y = value(round);
    if (y !== null) byRound.set(round.number, [...(byRound.get(round.number) ?? []), y]);
  }
  return [...byRound]
    .sort(([one], [other]) => one - other)
    .map(([x, known]) => {
      const ys = known.map((one) => one.value);
      if (known.length === 1 && known[0]) {
        const { value, low, high } = known[0];
        return { x, y: value, low, high, runs: 1 };
      }
      const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
      const squares = ys.reduce((sum, y) => sum + (y - mean) ** 2, 0);
      const deviation = Math.sqrt(squares / (ys.length - 1));
      return { x, y: mean, low: mean - deviation, high: mean + deviation, runs: ys.length };
    });
}
