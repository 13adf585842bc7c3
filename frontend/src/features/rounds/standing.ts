import type { LabelClass, MapImage } from "../../api/types";
import { t } from "../../strings";
import { boxesSaid } from "../../tasks/boxes/describe";

type Standing = Pick<MapImage, "class_id" | "state"> & { boxes?: number | null };

/** What is known of an image: its class, how many boxes it has, or where else it stands. */
export function stateOf(standing: Standing, classes: LabelClass[]): string {
  const { class_id: classId, state, boxes = null } = standing;
  if (state === "labeled" && boxes !== null) return boxesSaid(boxes);
  const name = classes.find((one) => one.id === classId)?.name;
  return state === "labeled" && name ? name : t.rounds.states[state];
}

/** What is known of an image since a round closed, where that is something else; else null. */
export function sinceOf({ since }: Pick<MapImage, "since">, classes: LabelClass[]): string | null {
  return since && t.rounds.since(stateOf(since, classes));
}
