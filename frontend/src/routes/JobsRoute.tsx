import { JobsScreen } from "../features/jobs/JobsScreen";
import { useProject } from "./useProject";

export function Component() {
  const project = useProject().data;
  return project ? <JobsScreen project={project} /> : null;
}
