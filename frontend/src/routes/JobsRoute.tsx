import { JobsScreen } from "../features/jobs/JobsScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.jobs.tab };

export function Component() {
  const project = useProject().data;
  return project ? <JobsScreen project={project} /> : null;
}
