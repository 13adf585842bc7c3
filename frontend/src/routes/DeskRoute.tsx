import type { ReactNode } from "react";
import { useProjectEvents } from "../api/events";
import type { Project, User } from "../api/types";
import { NoPage } from "../features/labeling/NoPage";
import { ProjectNews } from "../features/labeling/ProjectNews";
import { PageOfMedium, useWordsOf } from "../media/MediumContext";
import { hasTaskView } from "../tasks/traits";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./DeskRoute.module.css";
import { ProjectFailure } from "./ProjectFailure";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

type DeskRouteProps = {
  title: (project: Project) => string;
  /** What is on the desk; `sees` tells whether there are more pages of the project to go to. */
  children: (project: Project, user: User, sees: boolean) => ReactNode;
};

/** A page that takes the whole window, once its project is there; it keeps up with the project's events. */
export function DeskRoute({ title, children }: DeskRouteProps) {
  const user = useUser();
  const { data: project, error, refetch } = useProject();
  useWordsOf(project?.medium);
  useProjectEvents(project?.id ?? null);
  useTitle(project && title(project));
  if (project) {
    const sees = project.permissions.includes("review");
    if (!hasTaskView(project)) return <NoPage project={project} sees={sees} />;
    return (
      <PageOfMedium medium={project.medium}>
        <ProjectNews key={project.id} project={project} />
        {children(project, user, sees)}
      </PageOfMedium>
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
