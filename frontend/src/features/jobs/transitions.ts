import type { Relabeling } from "../../api/results";

const MOST = 12;

/** `count` of the `of` labels `given` should be `suggested`, both ids of classes; null is none of them. */
export type Transition = { given: number; suggested: number | null; count: number; of: number };

/** The changes that are suggested most often. */
export function transitionsOf({
  class_ids,
  transitions,
  labels_of,
}: Pick<Relabeling, "class_ids" | "transitions" | "labels_of">): Transition[] {
  return transitions
    .flatMap((row, from) => {
      const inside = row.reduce((sum, count) => sum + count, 0);
      const of = labels_of?.[from] ?? inside;
      const given = class_ids[from] ?? 0;
      const others = row.map((count, to) => ({
        ...{ given, suggested: class_ids[to] ?? 0, of },
        count: from === to ? 0 : count,
      }));
      return [...others, { given, suggested: null, of, count: of - inside }];
    })
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
    .slice(0, MOST);
}
