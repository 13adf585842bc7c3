import { useMutation, useQuery } from "@tanstack/react-query";
import type { Estimate } from "../../api/estimates";
import type { CertificateInput } from "../../api/guarantee";
import { isActive, jobQuery, startJob } from "../../api/rounds";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { focusInvalid } from "../../ui/focusInvalid";
import { foreseen, foreseenIn } from "../../ui/jobs/foreseen";
import { sentenceOf } from "../../ui/jobs/outcome";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { nameOf } from "./words";

type ExpectedProps = { project: Project; given: CertificateInput };

/** What a guarantee is expected to take and to bring, before anybody is asked. */
export function Expected({ project, given }: ExpectedProps) {
  const { start: text } = t.guarantee;
  const measure = useMutation({ mutationFn: () => startJob(project.id, "certify", given, true) });
  const started = measure.data;
  const found = useQuery({
    ...jobQuery(project.id, started?.id ?? 0),
    enabled: started !== undefined,
    refetchInterval: ({ state }) => (state.data && !isActive(state.data) ? false : 1_000),
  });
  const job = found.data ?? started;
  const expected = foreseenIn(job?.result?.estimate as Estimate | undefined);
  const isBusy = measure.isPending || isActive(job);
  const refused = measure.error ?? (job?.state === "failed" ? sentenceOf(job) : null);
  return (
    <>
      <Button
        busy={isBusy}
        onClick={({ currentTarget: { form } }) => {
          if (!form || !focusInvalid(form)) measure.mutate();
        }}
      >
        {isBusy ? text.measuring : text.measure}
      </Button>
      <div aria-live="polite">
        {expected && (
          <Notice>{foreseen(expected, (id) => nameOf(id, project.classes)).join(" ")}</Notice>
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
