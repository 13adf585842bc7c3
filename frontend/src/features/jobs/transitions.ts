import type { Relabeling } from "../../api/results";

const MOST = 12;

/** `count` of the `of` labels `given` should be `suggested`, both ids of classes. */
export type Transition = { given: number; suggested: number; count: number; of: number };

/** The changes that are suggested most often. */
export function transitionsOf({
  class_ids,
  transitions,
  labels_of,
}: Pick<Relabeling, "class_ids" | "transitions" | "labels_of">): Transition[] {
  return transitions
    .flatMap((row, from) => {
      const of = labels_of?.[from] ?? row.reduce((sum, count) => sum + count, 0);
      return row.map((count, to) => ({
        given: class_ids[from] ?? 0,
        suggested: class_ids[to] ?? 0,
        count: from === to ? 0 : count,
        of,
      }));
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST);
}
