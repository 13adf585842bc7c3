import type { FolderChoice, ImportPlan } from "../../../api/types";
import { classOrder, NO_CLASS } from "../plan";

/** How many values of a column a plan shows; where there are as many, there may be more. */
const SHOWN = 5;

/** What a plan says of the labels of a data set, all of which are to be looked at. */
export type Labels = {
  /** Classes of two images or more. */
  classes: string[];
  /** Classes of one image, of which nobody could say whether it is right. */
  single: string[];
  /** Columns that hold the labels. */
  columns: string[];
  /** Test images have labels as well: everything enters the pool. */
  folders: Record<string, FolderChoice>;
  /** Whether another tool's document names more classes than a plan shows. */
  isCut: boolean;
};

export function labelsOf(plan: ImportPlan): Labels {
  const counts = new Map<string, number>();
  const folders: Labels["folders"] = {};
  for (const { name, proposal, reason, may_be_class, fixed, labels } of plan.groups) {
    const isNamed = name !== null && !fixed;
    if (isNamed && proposal === "evaluation") folders[name] = "pool";
    else if (isNamed && reason !== null && !may_be_class) folders[name] = proposal;
    if (proposal === "leave_out" || proposal === "auxiliary_ood") continue;
    for (const label of labels) counts.set(label.name, (counts.get(label.name) ?? 0) + label.count);
  }
  const stated = plan.labels.filter((one) => one.stated);
  if (counts.size === 0)
    // Of a document's classes a plan tells names alone.
    for (const name of stated.flatMap((one) => one.values)) counts.set(name, 2);
  const isCut = stated.some((one) => one.values.length >= SHOWN) && labelsOfGroups(plan) === 0;
  const names = [...counts.keys()]
    .filter((name) => !NO_CLASS.has(name.toLowerCase()))
    .sort(classOrder(plan));
  const column = plan.columns?.label ?? "label";
  return {
    classes: names.filter((name) => (counts.get(name) ?? 0) > 1),
    single: names.filter((name) => counts.get(name) === 1),
    columns: stated.length > 0 ? [] : [column],
    folders,
    isCut,
  };
}

const labelsOfGroups = (plan: ImportPlan): number =>
  plan.groups.reduce((sum, { labels }) => sum + labels.length, 0);
