import { SubsetsScreen } from "../features/jobs/SubsetsScreen";
import { useProject } from "./useProject";

export function Component() {
  const project = useProject().data;
  if (!project?.settings) return null;
  return <SubsetsScreen project={{ ...project, settings: project.settings }} />;
}
