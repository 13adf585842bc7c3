import type { LabelClass, MapImage } from "../../api/types";
import { t } from "../../strings";

type Standing = Pick<MapImage, "class_id" | "state">;

/** What is known of an image: its class, or where else it stands. */
export function stateOf({ class_id: classId, state }: Standing, classes: LabelClass[]): string {
  const name = classes.find((one) => one.id === classId)?.name;
  return state === "labeled" && name ? name : t.rounds.states[state];
}

/** What is known of an image since a round closed, where that is something else; else null. */
export function sinceOf({ since }: Pick<MapImage, "since">, classes: LabelClass[]): string | null {
  return since && t.rounds.since(stateOf(since, classes));
}
