import type { Project } from "../../api/types";
import { t } from "../../strings";

/** What it is called in a project that an image, or a row, is none of what is looked for. */
export function noneOf({ task }: Pick<Project, "task">): string {
  if (task === "boxes") return t.boxes.ood;
  return task === "instructions" ? t.states.rankings.ood : t.label.ood;
}
