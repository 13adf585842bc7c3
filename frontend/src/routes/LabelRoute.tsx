import { LabelScreen } from "../features/labeling/LabelScreen";
import { t } from "../strings";
import { Failure } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

export function Component() {
  const user = useUser();
  const project = useProject();
  useTitle(project.data && `${t.label.title}: ${project.data.name}`);
  if (project.data) {
    const manages = project.data.permissions.includes("manage");
    return (
      <LabelScreen
        project={project.data}
        user={user}
        projectLink={manages ? `/projects/${project.data.id}` : null}
      />
    );
  }
  if (project.error) return <Failure error={project.error} onRetry={() => project.refetch()} />;
  return null;
}
