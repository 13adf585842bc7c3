import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { betweenQuery } from "../api/labeling";
import { projectQuery } from "../api/projects";
import { retryJob } from "../api/rounds";
import type { Project, RoundFailure } from "../api/types";
import { t } from "../strings";
import { Said } from "../ui/Said";
import { Button, ButtonLink } from "./Button";
import { formatNames } from "./format";
import { Notice } from "./State";

const { failed: text } = t.label.waiting;

type HelpProps = { projectId: number; failure: RoundFailure };

/** Whom to tell, for those who cannot help; for the others what went wrong, and what to do. */
export function FailureText({ failure }: Pick<HelpProps, "failure">) {
  if (failure.job_id === null) {
    return <p>{failure.tell.length > 0 ? text.tell(formatNames(failure.tell)) : text.tellAny}</p>;
  }
  return (
    <>
      <p>
        <Said>{failure.detail ?? text.stopped}</Said>
      </p>
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
      {retry.error && (
        <p role="alert">
          <Said>{retry.error}</Said>
        </p>
      )}
    </>
  );
}

/** Says on the page of a round that has failed why, and what to do. */
export function FailedRound({ projectId }: { projectId: number }) {
  const { data } = useQuery(betweenQuery(projectId));
  if (!data?.failure) return null;
  return (
    <Notice tone="bad" actions={<FailureActions projectId={projectId} failure={data.failure} />}>
      <strong>{text.title}</strong>
      <FailureText failure={data.failure} />
    </Notice>
  );
}

/** Says beside the last images that there will be no others. */
export function FailureNotice({ project }: { project: Project }) {
  const failed = project.current_round?.failed === true;
  const { data } = useQuery({ ...betweenQuery(project.id), enabled: failed });
  if (!failed || !data?.failure) return null;
  return (
    <Notice tone="bad" actions={<FailureActions projectId={project.id} failure={data.failure} />}>
      <strong>{text.title}</strong>
      <p>{data.round?.state === "open" ? text.open : text.last}</p>
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
