import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { projectQuery } from "../../api/projects";
import { auditReview, estimateQuery, reviewPath, reviewsQuery } from "../../api/reviews";
import { startJob } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Meter } from "../../ui/Meter";
import { ReviewEstimate } from "../../ui/ReviewEstimate";
import { TakeBackReview } from "../../ui/TakeBackReview";
import { useGoOn } from "../../ui/useGoOn";
import styles from "./JobsScreen.module.css";

const { relabel: text } = t.jobs;
const { estimate: words } = t.review;
/** How many labels are drawn for an audit. */
const AUDIT = 50;

type ReviewProgressProps = { project: Project; job: Job };

/** How far the suggestions are reviewed, what that says, and what can be done with it. */
export function ReviewProgress({ project, job }: ReviewProgressProps) {
  const client = useQueryClient();
  const goOn = useGoOn();
  const reviews = useQuery(reviewsQuery(project.id));
  const review = reviews.data?.items.find((one) => one.job_id === job.id);
  const done = review ? review.total - review.open : 0;
  const found = useQuery({ ...estimateQuery(project.id, job.id, done), enabled: Boolean(review) });
  const read = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const audit = useMutation({
    mutationFn: () => auditReview(project.id, job.id, AUDIT),
    onSuccess: read,
  });
  const again = useMutation({
    mutationFn: () => startJob(project.id, job.kind, job.params),
    onSuccess: async () => {
      await read();
      goOn(`/projects/${project.id}/jobs`);
    },
  });
  const error = audit.error ?? again.error;
  // Where nothing is suggested, chance alone finds what is wrong.
  const mayAudit = !review || found.data?.audit === null;
  return (
    <>
      {review && (
        <>
          <Meter
            label={t.review.progress}
            value={done}
            max={review.total}
            text={t.review.of(done, review.total)}
          />
          {done > 0 && (
            <p className={styles.hint}>
              {t.review.suggestions.doneText(review.total, review.decided)}
            </p>
          )}
          <ReviewEstimate projectId={project.id} jobId={job.id} done={done} />
        </>
      )}
      {mayAudit && <Hint of={words.audit.action(AUDIT)}>{words.audit.hint}</Hint>}
      {done > 0 && <Hint of={words.again.action}>{words.again.hint}</Hint>}
      <ErrorNotice error={error} />
      <div className={styles.actions}>
        {review && (
          <ButtonLink
            to={reviewPath(project.id, job.id)}
            kind={review.open > 0 ? "primary" : "secondary"}
          >
            {review.open > 0 ? t.review.suggestions.waiting(review.open) : text.look}
          </ButtonLink>
        )}
        {mayAudit && (
          <Button busy={audit.isPending} onClick={() => audit.mutate()}>
            {words.audit.action(AUDIT)}
          </Button>
        )}
        {done > 0 && (
          <Button manages busy={again.isPending} onClick={() => again.mutate()}>
            {words.again.action}
          </Button>
        )}
        {review && <TakeBackReview projectId={project.id} review={review} />}
      </div>
    </>
  );
}

/** What a button does, by its name. */
function Hint({ of, children }: { of: string; children: string }) {
  return (
    <p className={styles.hint}>
      <strong>{of}</strong>: {children}
    </p>
  );
}
