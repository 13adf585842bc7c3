import type { Project } from "../../api/types";
import { t } from "../../strings";
import { stateNames } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import type { Part } from "../../ui/Meter";

/** What the pool of a project divides into, by what was said of it. */
export function poolParts(project: Project): Part[] {
  const { counts } = project;
  const names = stateNames(project);
  const isOver = project.state === "finished";
  const { inGroups, emptyLabel } = traitsOf(project);
  // In groups no more wait than are to be asked about.
  const term = isOver || inGroups ? null : "queue";
  const queue: Part[] = [{ label: names.queried, value: counts.queried, tone: "queried", term }];
  const nothing = counts.no_objects;
  const labeled: Part[] = emptyLabel
    ? [
        { label: t.boxes.some, value: counts.labeled_in - nothing, tone: "in" },
        { label: t.boxes.none, value: nothing, tone: "nothing" },
      ]
    : [{ label: names.labeled, value: counts.labeled_in, tone: "in" }];
  return [
    ...labeled,
    { label: names.ood, value: counts.labeled_ood, tone: "ood" },
    { label: names.unsure, value: counts.unsure, tone: "unsure" },
    ...(isOver && counts.queried === 0 ? [] : queue),
    { label: names.unlabeled, value: counts.unlabeled, tone: "rest" },
  ];
}
