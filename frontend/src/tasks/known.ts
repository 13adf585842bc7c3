import type { Project } from "../api/types";

/** Types of task that there are pages for; those of packages have none. Light, as the first page asks too. */
const KNOWN = ["classification", "boxes", "instructions"] as const;

export type KnownTask = (typeof KNOWN)[number];

/** Whether there are pages to work on a type of task. */
export const hasTaskView = ({ task }: Pick<Project, "task">): boolean =>
  KNOWN.some((one) => one === task);
