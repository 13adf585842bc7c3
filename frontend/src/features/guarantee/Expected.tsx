import { useMutation, useQuery } from "@tanstack/react-query";
import type { CertificateInput } from "../../api/guarantee";
import { isActive, jobQuery, startJob } from "../../api/rounds";
import type { Estimate } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { sentenceOf } from "../../ui/jobs/outcome";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";

type ExpectedProps = { projectId: number; given: CertificateInput };

/** How many answers a guarantee is expected to take, and what it would label, before anybody is asked. */
export function Expected({ projectId, given }: ExpectedProps) {
  const { start: text } = t.guarantee;
  const measure = useMutation({ mutationFn: () => startJob(projectId, "certify", given, true) });
  const started = measure.data;
  const found = useQuery({
    ...jobQuery(projectId, started?.id ?? 0),
    enabled: started !== undefined,
    refetchInterval: ({ state }) => (state.data && !isActive(state.data) ? false : 1_000),
  });
  const job = found.data ?? started;
  const estimate = job?.result?.estimate as Estimate | undefined;
  const isBusy = measure.isPending || isActive(job);
  const refused = measure.error ?? (job?.state === "failed" ? sentenceOf(job) : null);
  return (
    <>
      <Button busy={isBusy} onClick={() => measure.mutate()}>
        {isBusy ? text.measuring : text.measure}
      </Button>
      <div aria-live="polite">
        {estimate?.answers !== undefined && estimate.auto !== undefined && (
          <Notice>{text.expected(estimate.answers, estimate.auto)}</Notice>
        )}
        {refused && (
          <Notice tone="bad">
            <Said>{refused}</Said>
          </Notice>
        )}
      </div>
    </>
  );
}
