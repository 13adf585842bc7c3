import { useMutation } from "@tanstack/react-query";
import { cancelJob } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../Button";
import { ErrorNotice } from "../ErrorNotice";
import { formatSeconds } from "../format";
import { Meter } from "../Meter";
import { useSaid } from "../titled";
import styles from "./Jobs.module.css";
import { sentenceOf } from "./outcome";

/** How far a job is, and a button that stops it. */
export function JobAtWork({ job, onSettled }: { job: Job; onSettled: () => void }) {
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onSettled });
  const eta = job.progress?.eta_seconds;
  return (
    <>
      <JobMeter job={job} />
      <div className={styles.actions}>
        <Button
          manages
          size="small"
          busy={cancel.isPending || job.cancel_requested}
          onClick={() => cancel.mutate()}
        >
          {t.jobs.stop}
        </Button>
        {typeof eta === "number" && (
          <span className={styles.quiet}>{t.overview.jobEta(formatSeconds(eta))}</span>
        )}
      </div>
      <ErrorNotice error={cancel.error} />
    </>
  );
}

/** What a job is at, or what it waits for. */
export function JobMeter({ job }: { job: Job }) {
  const { progress } = job;
  const said = useSaid();
  const told = sentenceOf(job);
  const counted = progress && progress.steps > 0 ? progress : null;
  return (
    <Meter
      label={
        progress && job.state === "running"
          ? (t.common.phases[progress.phase] ?? progress.phase)
          : ((told && said(told)) ?? t.overview.jobQueued)
      }
      value={counted?.step ?? 0}
      max={counted?.steps ?? 1}
      text={counted ? t.overview.step(counted.step, counted.steps) : ""}
    />
  );
}
