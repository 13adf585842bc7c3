import { OverviewScreen } from "../features/overview/OverviewScreen";
import { useProject } from "./useProject";

export function Component() {
  const project = useProject().data;
  return project ? <OverviewScreen project={project} /> : null;
}
