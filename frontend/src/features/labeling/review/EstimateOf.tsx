import type { Review } from "../../../api/types";
import { ReviewEstimate } from "../../../ui/ReviewEstimate";

type EstimateOfProps = { projectId: number; review: Review | null };

/** What the decisions say of the job whose suggestions are reviewed; nothing of disagreements. */
export function EstimateOf({ projectId, review }: EstimateOfProps) {
  if (!review || review.job_id === null) return null;
  return (
    <ReviewEstimate
      projectId={projectId}
      jobId={review.job_id}
      done={review.total - review.open}
      brief
    />
  );
}
