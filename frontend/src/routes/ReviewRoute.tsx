import { useParams } from "react-router";
import { ReviewScreen } from "../features/labeling/review/ReviewScreen";
import { t } from "../strings";
import { DeskRoute } from "./DeskRoute";

export function Component() {
  const jobId = Number(useParams().jobId);
  return (
    <DeskRoute title={(project) => `${t.review.title} ${project.name}`}>
      {(project, user, manages) => (
        <ReviewScreen
          key={`${project.id}/${jobId}`}
          project={project}
          user={user}
          jobId={jobId}
          back={manages ? `/projects/${project.id}/jobs/${jobId}` : `/projects/${project.id}/label`}
        />
      )}
    </DeskRoute>
  );
}
