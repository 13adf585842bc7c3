import { isPlanned } from "../../api/imports";
import type { FolderChoice, ImportPlan, Job, PlannedGroup, Split } from "../../api/types";
import { folded, isClass } from "./classLookup";

/** What was chosen for a plan, beside what it proposes. */
export type Chosen = {
  split: Split;
  /** By name of the folder or value. */
  folders: Record<string, FolderChoice>;
  /** Columns whose labels become annotations. */
  columns: string[];
};

/** How many images go where. */
export type Sums = Record<Split | "left_out" | "refused", number>;

export const SPLITS: Split[] = ["pool", "evaluation", "auxiliary_ood"];
/** What a project may have. */
const MOST_CLASSES = 1000;
/** Folders beside those of classes whose images have none. */
export const NO_CLASS = new Set(["ood", "unsure", "skip"]);

/** The plan of a job that waits for an answer. */
export const planOf = (job: Job): ImportPlan | null =>
  isPlanned(job) ? (job.result as ImportPlan | null) : null;

export const chosenOf = (plan: ImportPlan): Chosen => ({
  split: plan.split,
  // Sent as it is shown: an import refuses values of which nobody says what they are.
  folders: Object.fromEntries(
    plan.groups.flatMap(({ name, reason, may_be_class, fixed, proposal }) =>
      name !== null && reason !== null && !may_be_class && !fixed ? [[name, proposal]] : [],
    ),
  ),
  columns: plan.labels.flatMap((one) => (one.chosen && !one.stated ? [one.column] : [])),
});

export function choiceOf(group: PlannedGroup, { split, folders }: Chosen): FolderChoice {
  if (group.fixed) return group.proposal;
  return group.name === null ? split : (folders[group.name] ?? group.proposal);
}

/** Where the images of a group go. */
function placeOf(group: PlannedGroup, chosen: Chosen): keyof Sums {
  if (group.fixed) return group.fixed;
  const choice = choiceOf(group, chosen);
  if (choice === "leave_out") return "left_out";
  return choice === "class" ? chosen.split : choice;
}

/** Whether images go to the pool that it was planned without: of their labels it tells less. */
export function addsToPool(plan: ImportPlan, chosen: Chosen): boolean {
  const first = chosenOf(plan);
  return plan.groups.some(
    (group) => placeOf(group, chosen) === "pool" && placeOf(group, first) !== "pool",
  );
}

/** What an import does with these choices, by the rules of the server. */
export function sumsOf(
  plan: ImportPlan,
  chosen: Chosen,
  classes: ReadonlySet<string>,
  isDrawn = false,
): Sums {
  const bad = Object.values(plan.bad_by_reason).reduce((sum, count) => sum + count, 0);
  const sums: Sums = { pool: 0, evaluation: 0, auxiliary_ood: 0, left_out: 0, refused: bad };
  for (const group of plan.groups) {
    const place = placeOf(group, chosen);
    const placed = place === "evaluation" ? labeled(group, classes, isDrawn) : group.count;
    sums[place] += placed;
    sums.refused += group.count - placed;
  }
  return sums;
}

/**
 * How many of a group have a label that is a class; of boxes those whose boxes are all of classes, at
 * the least, as an image may have boxes of several that are none.
 */
export function labeled(
  group: PlannedGroup,
  classes: ReadonlySet<string>,
  isDrawn = false,
): number {
  const isTaken = ({ name, known }: PlannedGroup["labels"][number]) =>
    known || isClass(name, classes);
  const sum = (labels: PlannedGroup["labels"]) =>
    labels.reduce((total, { count }) => total + count, 0);
  if (!isDrawn) return sum(group.labels.filter(isTaken));
  const unknown = sum(group.labels.filter((one) => !isTaken(one)));
  return Math.max(0, group.count - group.unlabeled - unknown);
}

/** Whether the label of an image that goes to the pool is a class; it may be one of those that are too many to be told. */
export const labelsPool = (
  plan: ImportPlan,
  chosen: Chosen,
  classes: ReadonlySet<string>,
): boolean =>
  plan.groups.some((group) => {
    const told = group.labels.reduce((sum, { count }) => sum + count, group.unlabeled);
    const isTaken = labeled(group, classes) > 0 || told < group.count;
    return isTaken && placeOf(group, chosen) === "pool";
  });

/** Whether its columns are known, and none of them says of any row what is true of it. */
export const lacksTruth = ({ columns, groups }: ImportPlan): boolean =>
  Object.keys(columns ?? {}).length > 0 &&
  columns?.label === undefined &&
  groups.every(({ labels }) => labels.length === 0);

/** How many images are refused for evaluation, as none of their labels is a class. */
export function lostToEvaluation(
  plan: ImportPlan,
  chosen: Chosen,
  classes: ReadonlySet<string>,
  isDrawn = false,
): number {
  const lost = plan.groups.map((group) =>
    placeOf(group, chosen) === "evaluation" ? group.count - labeled(group, classes, isDrawn) : 0,
  );
  return lost.reduce((sum, count) => sum + count, 0);
}

/**
 * Of the names that are no classes yet, those that are likely meant as such: one folder that holds
 * all images to be labeled is where they lie, unless images to evaluate on are called the same. Boxes name no folders.
 */
export function proposedClasses(
  plan: ImportPlan,
  chosen: Chosen,
  found: ReadonlyMap<string, number>,
  isDrawn = false,
): string[] {
  if (isDrawn) return [...found.keys()];
  const labels = plan.groups.flatMap((group) =>
    group.labels.map(({ name }) => ({ name, place: placeOf(group, chosen) })),
  );
  const namesIn = (split: Split) =>
    new Set(labels.filter(({ place }) => place === split).map(({ name }) => name));
  const [pool, judged] = [namesIn("pool"), namesIn("evaluation")];
  const isPlace = (name: string) => pool.size === 1 && pool.has(name) && !judged.has(name);
  return [...found.keys()].filter((name) => !isPlace(name));
}

/**
 * Labels of images of the pool and the evaluation that are no classes yet, with how many have each,
 * by name. Of several ways to write a name it is the most frequent. They stand in the order of `classOrder`.
 */
export function newClasses(
  plan: ImportPlan,
  chosen: Chosen,
  classes: ReadonlySet<string>,
): Map<string, number> {
  const written = new Map<string, Map<string, number>>();
  for (const group of plan.groups) {
    const place = placeOf(group, chosen);
    if (place !== "pool" && place !== "evaluation") continue;
    for (const { name, count, known } of group.labels) {
      if (known || isClass(name, classes) || NO_CLASS.has(name.toLowerCase())) continue;
      const ways = written.get(folded(name)) ?? new Map<string, number>();
      written.set(folded(name), ways.set(name, (ways.get(name) ?? 0) + count));
    }
  }
  const counts = [...written.values()].map((ways): [string, number] => {
    const [[name] = [""]] = [...ways].sort(([, one], [, other]) => other - one);
    return [name, [...ways.values()].reduce((sum, count) => sum + count, 0)];
  });
  return ordered(plan, counts);
}

/** The same with what was sent lists and no label is of: without these, others get other numbers. */
export function withListed(plan: ImportPlan, found: Map<string, number>): Map<string, number> {
  const names = new Set([...found.keys()].map(folded));
  const more = (plan.class_names ?? []).flatMap((name): [string, number][] => {
    if (names.has(folded(name)) || NO_CLASS.has(name.toLowerCase())) return [];
    names.add(folded(name));
    return [[name, 0]];
  });
  return names.size > MOST_CLASSES ? found : ordered(plan, [...found, ...more]);
}

function ordered(plan: ImportPlan, counts: [string, number][]): Map<string, number> {
  const order = classOrder(plan);
  return new Map(counts.sort(([one], [other]) => order(one, other)));
}

/** Compares names of classes by the list in what was sent; those that it has not come last, as words do. */
export function classOrder(plan: ImportPlan): (one: string, other: string) => number {
  const listed = new Map(plan.class_names?.map((name, place) => [folded(name), place]));
  const placeIn = (name: string) => listed.get(folded(name)) ?? Number.MAX_SAFE_INTEGER;
  return (one, other) =>
    placeIn(one) - placeIn(other) || one.localeCompare(other, undefined, { numeric: true });
}
