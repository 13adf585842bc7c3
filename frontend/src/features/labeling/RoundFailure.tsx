import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { betweenQuery } from "../../api/labeling";
import { projectQuery } from "../../api/projects";
import { retryJob } from "../../api/rounds";
import type { Project, RoundFailure } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { formatNames } from "../../ui/format";
import { Notice } from "../../ui/State";

const { failed: text } = t.label.waiting;

type HelpProps = { projectId: number; failure: RoundFailure };

/** Whom to tell, for those who cannot help; for the others what went wrong, and what to do. */
export function FailureText({ failure }: Pick<HelpProps, "failure">) {
  if (failure.job_id === null) {
    return <p>{failure.tell.length > 0 ? text.tell(formatNames(failure.tell)) : text.tellAny}</p>;
  }
  return (
    <>
      <p>{failure.detail === null ? text.stopped : t.common.said(failure.detail)}</p>
      <p>{text.remedy}</p>
    </>
  );
}

/** What those can do who can help; nothing for others. */
export function FailureActions({ projectId, failure }: HelpProps) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: retryJob,
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  const { job_id: jobId } = failure;
  if (jobId === null) return null;
  return (
    <>
      <Button
        size="small"
        kind="primary"
        busy={retry.isPending}
        onClick={() => retry.mutate(jobId)}
      >
        {t.common.retry}
      </Button>
      <ButtonLink size="small" to={`/projects/${projectId}`}>
        {t.review.back}
      </ButtonLink>
      {retry.error && <p role="alert">{retry.error.message}</p>}
    </>
  );
}

/** Says beside the last images that there will be no others. */
export function FailureNotice({ project }: { project: Project }) {
  const failed = project.current_round?.state === "failed";
  const { data } = useQuery({ ...betweenQuery(project.id), enabled: failed });
  if (!failed || !data?.failure) return null;
  return (
    <Notice tone="bad" actions={<FailureActions projectId={project.id} failure={data.failure} />}>
      <strong>{text.title}</strong>
      <p>{text.last}</p>
      {data.failure.job_id === null ? (
        <FailureText failure={data.failure} />
      ) : (
        <details>
          <summary>{text.why}</summary>
          <FailureText failure={data.failure} />
        </details>
      )}
    </Notice>
  );
}
