import { useParams } from "react-router";
import { ReviewScreen } from "../features/labeling/review/ReviewScreen";
import { kindOf } from "../features/labeling/review/votes";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";
import { NotFoundPage } from "./ErrorPages";
import { idOf } from "./useProject";

/** What a job suggests; without a job, what annotators disagree on. */
export function Component() {
  const { jobId: named } = useParams();
  const jobId = idOf(named);
  if (named !== undefined && jobId === null) return <NotFoundPage />;
  return (
    <DeskRoute title={(project) => `${t.review[kindOf(jobId)].title} ${project.name}`}>
      {(project, user, manages) => {
        const about = `/projects/${project.id}${jobId === null ? "" : `/jobs/${jobId}`}`;
        return (
          <ReviewScreen
            key={`${project.id}/${jobId}`}
            project={project}
            user={user}
            jobId={jobId}
            manages={manages}
            missing={<NotFoundPage />}
            back={manages ? about : `/projects/${project.id}/label`}
          />
        );
      }}
    </DeskRoute>
  );
}
