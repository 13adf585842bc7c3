import type { Project } from "../../api/types";
import { t } from "../../strings";

/** What it is called that an image, or a row, is none of what is looked for: in full, and in a caption. */
export function noneOf({ task }: Pick<Project, "task">): { full: string; short: string } {
  if (task === "boxes") return { full: t.boxes.ood, short: t.boxes.oodShort };
  const { ood: row } = t.states.rankings;
  return task === "instructions"
    ? { full: row, short: row }
    : { full: t.label.ood, short: t.grid.ood };
}
