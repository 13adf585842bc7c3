import { SubsetsScreen } from "../features/jobs/SubsetsScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject } from "./useProject";

export const handle: PageHandle = { title: () => t.jobs.subsets.title };

export function Component() {
  const project = useProject().data;
  if (!project?.settings) return null;
  return <SubsetsScreen project={{ ...project, settings: project.settings }} />;
}
