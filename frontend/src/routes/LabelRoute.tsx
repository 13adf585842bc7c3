import { LabelScreen } from "../features/labeling/LabelScreen";
import { t } from "../strings";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./LabelRoute.module.css";
import { ProjectFailure } from "./ProjectFailure";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

export function Component() {
  const user = useUser();
  const { data: project, error, refetch } = useProject();
  useTitle(project && `${t.label.title}: ${project.name}`);
  if (project) {
    const manages = project.permissions.includes("manage");
    return (
      <LabelScreen
        key={project.id}
        project={project}
        user={user}
        projectLink={manages ? `/projects/${project.id}` : null}
      />
    );
  }
  return (
    <div className={styles.page}>
      {error ? (
        <ProjectFailure error={error} onRetry={() => refetch()} />
      ) : (
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      )}
    </div>
  );
}
