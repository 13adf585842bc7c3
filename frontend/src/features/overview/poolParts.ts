import type { Project } from "../../api/types";
import type { Part } from "../../ui/Meter";
import { stateNames } from "../../ui/stateNames";

/** What the pool of a project divides into, by what was said of it. */
export function poolParts(project: Project): Part[] {
  const { counts } = project;
  const names = stateNames(project);
  const isOver = project.state === "finished";
  // Of rows no more wait than are to be ranked.
  const term = isOver || project.task === "instructions" ? null : "queue";
  const queue: Part[] = [{ label: names.queried, value: counts.queried, tone: "queried", term }];
  return [
    { label: names.labeled, value: counts.labeled_in, tone: "in" },
    { label: names.ood, value: counts.labeled_ood, tone: "ood" },
    { label: names.unsure, value: counts.unsure, tone: "unsure" },
    ...(isOver && counts.queried === 0 ? [] : queue),
    { label: names.unlabeled, value: counts.unlabeled, tone: "rest" },
  ];
}
