import { mediaViews } from "../../media/registry";
import type { StageProps } from "../../media/spec";
import type { Medium } from "../../strings/medium";

/** The example alone: a class is said of all of it, so nothing lies over it. */
export function Stage({ medium, ...props }: StageProps & { medium: Medium }) {
  const { Stage: Shown } = mediaViews[medium];
  return <Shown {...props} />;
}
