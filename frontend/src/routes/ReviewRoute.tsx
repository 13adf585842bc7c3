import { useParams } from "react-router";
import { ReviewScreen } from "../features/labeling/review/ReviewScreen";
import { t } from "../strings";
import { Loading, Skeleton } from "../ui/State";
import { useTitle } from "../ui/useTitle";
import styles from "./LabelRoute.module.css";
import { ProjectFailure } from "./ProjectFailure";
import { useProject } from "./useProject";
import { useUser } from "./useUser";

export function Component() {
  const user = useUser();
  const jobId = Number(useParams().jobId);
  const { data: project, error, refetch } = useProject();
  useTitle(project && `${t.review.title} ${project.name}`);
  if (project) {
    const manages = project.permissions.includes("manage");
    return (
      <ReviewScreen
        key={`${project.id}/${jobId}`}
        project={project}
        user={user}
        jobId={jobId}
        back={manages ? `/projects/${project.id}/jobs/${jobId}` : `/projects/${project.id}/label`}
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
