import { mediaViews } from "../../media/registry";
import type { TaskStageProps } from "../spec";

/** The example alone: a class is said of all of it, so nothing lies over it. */
export function Stage({ medium, work: _, classes: __, ...props }: TaskStageProps) {
  const { Stage: Shown } = mediaViews[medium];
  return <Shown {...props} />;
}
