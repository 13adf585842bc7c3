import { SetupScreen } from "../features/setup/SetupScreen";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

export function Component() {
  const user = useUser();
  const project = useProject().data;
  if (!project?.settings) return null;
  return (
    <SetupScreen
      key={project.id}
      project={{ ...project, settings: project.settings }}
      user={user}
    />
  );
}
