import type { MapImage, Project } from "../../api/types";
import { t } from "../../strings";
import { boxesSaid } from "../../tasks/boxes/describe";
import { noneOf } from "../../tasks/stateNames";

type Standing = Pick<MapImage, "class_id" | "state"> & { boxes?: number | null };
type Of = Pick<Project, "task" | "classes">;

/** What is known of an image: its class, how many boxes it has, or where else it stands. */
export function stateOf(standing: Standing, project: Of): string {
  const { class_id: classId, state, boxes = null } = standing;
  if (state === "labeled" && boxes !== null) return boxesSaid(boxes);
  if (state === "ood") return noneOf(project).full;
  const name = project.classes.find((one) => one.id === classId)?.name;
  return state === "labeled" && name ? name : t.rounds.states[state];
}

/** What is known of an image since a round closed, where that is something else; else null. */
export function sinceOf({ since }: Pick<MapImage, "since">, project: Of): string | null {
  return since && t.rounds.since(stateOf(since, project));
}
