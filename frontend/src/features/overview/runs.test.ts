import { expect, it } from "vitest";
import type { Comparable, Round } from "../../api/types";
import { curvesOf, repeatsOf } from "./runs";

const round = (number: number, accuracy: number | null, state = "closed") =>
  ({ number, accuracy, state }) as Round;
const accuracyOf = ({ accuracy: value }: Round) =>
  value === null ? null : { value, low: value - 0.1, high: value + 0.1 };

it("makes one curve of the seeds of a strategy, with mean and deviation", () => {
  const runs = [
    { id: 1, name: "a", strategy: "mqnet", rounds: [round(0, 0.5), round(1, 0.8)] },
    { id: 2, name: "b", strategy: "mqnet", rounds: [round(0, 0.7), round(1, null)] },
    { id: 3, name: "c", strategy: "random", rounds: [round(0, 0.4), round(1, 0.5, "open")] },
    { id: 4, name: "d", strategy: "badge", rounds: [round(0, null)] },
  ];
  const [mqnet, random, ...rest] = curvesOf(runs, accuracyOf);
  expect(rest).toEqual([]);
  expect([mqnet?.name, mqnet?.runs]).toEqual(["mqnet", 2]);
  expect(mqnet?.points[0]?.y).toBeCloseTo(0.6);
  expect((mqnet?.points[0]?.high ?? 0) - 0.6).toBeCloseTo(Math.SQRT2 * 0.1);
  // One run has its own interval.
  expect(mqnet?.points[1]).toMatchObject({ x: 1, y: 0.8, high: 0.9, runs: 1 });
  // An open round has no result yet.
  expect(random?.points.map((point) => point.x)).toEqual([0]);
});

it("takes other seeds of the strategy over the same pool for repetitions", () => {
  const other = (id: number, strategy: string, seed: number, same_pool = true): Comparable => ({
    id,
    name: `run ${id}`,
    strategy,
    seed,
    same_pool,
  });
  const others = [
    other(2, "mqnet", 1),
    other(3, "mqnet", 0),
    other(4, "random", 1),
    other(5, "mqnet", 2, false),
  ];
  const found = repeatsOf({ strategy: "mqnet", seed: 0 }, others);
  expect(found.map((one) => one.id)).toEqual([2]);
});
