import { ProjectList } from "../features/projects/ProjectList";
import { t } from "../strings";
import { useTitle } from "../ui/useTitle";
import { canManage, useUser } from "./useUser";

export function ProjectsRoute() {
  useTitle(t.projects.title);
  return <ProjectList canCreate={canManage(useUser())} />;
}
