import type { ExampleState, Project, Verdict } from "../api/types";
import { t } from "../strings";

/** What is labeled told apart, where labels are boxes: by whether there are any. */
type Objects = "objects" | "no_objects";
/** What they are called; only where labels are boxes are there names for all of it. */
type Names<Key extends string> = Record<Key, string> & Partial<Record<Objects, string>>;

const ofBoxes = { objects: t.boxes.some, no_objects: t.boxes.none };

/** What it is called that one is none of what is looked for: in full, and in a caption. */
export function noneOf({ task }: Pick<Project, "task">): { full: string; short: string } {
  if (task === "boxes") return { full: t.boxes.ood, short: t.boxes.oodShort };
  const { ood: row } = t.states.rankings;
  if (task === "instructions") return { full: row, short: row };
  return { full: t.label.ood, short: t.grid.ood };
}

/** What the states of a project's images, or rows, are called wherever they are shown. */
export function stateNames({ task, state }: Pick<Project, "task" | "state">): Names<ExampleState> {
  const { neverAsked, ...names } = task === "instructions" ? t.states.rankings : t.states.classes;
  return {
    ...names,
    // Whoever goes on with a finished project finds its last queue as it was; until then it asks nobody.
    ...(state === "finished" && { queried: neverAsked }),
    ...(task === "boxes" && ofBoxes),
    ood: noneOf({ task }).full,
  };
}

/** What verdicts are called where the pool is looked through. */
export function verdictNames({ task }: Pick<Project, "task">): Names<Verdict> {
  return {
    ...t.pool.values.verdict,
    ...(task === "boxes" && { ...ofBoxes, label: t.boxes.either }),
    ...(task === "instructions" && { label: t.states.rankings.labeled }),
    ood: noneOf({ task }).full,
  };
}
