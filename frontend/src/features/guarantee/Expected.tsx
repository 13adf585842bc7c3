import { useMutation, useQuery } from "@tanstack/react-query";
import type { CertificateInput } from "../../api/guarantee";
import { jobQuery, startJob } from "../../api/rounds";
import type { Estimate } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { saidBy } from "../../ui/jobs/outcome";
import { Notice } from "../../ui/State";

type ExpectedProps = { projectId: number; given: CertificateInput };

/** How many answers a guarantee is expected to take, and what it would label, before anybody is asked. */
export function Expected({ projectId, given }: ExpectedProps) {
  const { start: text } = t.guarantee;
  const measure = useMutation({ mutationFn: () => startJob(projectId, "certify", given, true) });
  const job = useQuery({
    ...jobQuery(projectId, measure.data?.id ?? 0),
    enabled: measure.data !== undefined,
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? false : 1_000),
  }).data;
  const found = job?.result?.estimate as Estimate | undefined;
  const isBusy = measure.isPending || (measure.data !== undefined && !isOver(job?.state));
  const refused = measure.error?.message ?? (job?.state === "failed" ? saidBy(job) : null);
  return (
    <>
      <Button busy={isBusy} onClick={() => measure.mutate()}>
        {isBusy ? text.measuring : text.measure}
      </Button>
      <div aria-live="polite">
        {found?.answers !== undefined && found.auto !== undefined && (
          <Notice>{text.expected(found.answers, found.auto)}</Notice>
        )}
        {refused && <Notice tone="bad">{t.common.said(refused)}</Notice>}
      </div>
    </>
  );
}

const isOver = (state: string | undefined): boolean =>
  state === "succeeded" || state === "failed" || state === "cancelled";
