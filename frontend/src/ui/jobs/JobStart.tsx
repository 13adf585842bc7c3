import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { retryJob, startJob } from "../../api/rounds";
import type { Algorithm, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../Button";
import { ParamsForm } from "../ParamsForm";
import { Notice } from "../State";
import { EstimateNotice } from "./EstimateNotice";
import styles from "./Jobs.module.css";
import { saidBy } from "./outcome";

type JobStartProps = {
  project: Project;
  algorithm: Algorithm;
  /** The last job of this kind, whose parameters are offered again. */
  latest: Job | undefined;
  /** The last one that was no estimate: it may go on if it ended early. */
  unfinished: Job | undefined;
  /** Whether there is a result already, so that another is no first wish. */
  again: boolean;
  onSettled: () => void;
};

/** Starts a job of the catalog, or lets one that ended early go on. */
export function JobStart(props: JobStartProps) {
  const { project, algorithm, latest, unfinished, again, onSettled } = props;
  const [params, setParams] = useState(() => paramsOf(algorithm, latest));
  const start = useMutation({
    mutationFn: (dryRun: boolean) => startJob(project.id, algorithm.name, params, dryRun),
    onSettled,
  });
  const goOn = useMutation({ mutationFn: (job: Job) => retryJob(job.id), onSettled });
  const ended =
    unfinished && (unfinished.state === "failed" || unfinished.state === "cancelled")
      ? unfinished
      : undefined;
  const empty = project.counts.pool === 0;
  const error = start.error ?? goOn.error;
  return (
    <>
      {latest?.state === "failed" && <Notice tone="bad">{saidBy(latest)}</Notice>}
      {latest?.state === "cancelled" && !latest.dry_run && (
        <p className={styles.quiet}>{t.jobs.stopped}</p>
      )}
      {latest?.dry_run && isOf(latest, params) && <EstimateNotice job={latest} />}
      <details className={styles.params} name="job-parameters" onToggle={keepInView}>
        <summary>{t.jobs.parameters}</summary>
        <ParamsForm algorithm={algorithm} params={params} onChange={setParams} />
      </details>
      <div className={styles.actions}>
        {ended && (
          <Button
            size="small"
            kind="primary"
            busy={goOn.isPending}
            onClick={() => goOn.mutate(ended)}
          >
            {t.jobs.goOn}
          </Button>
        )}
        <Button
          size="small"
          kind={ended || again ? "secondary" : "primary"}
          busy={start.isPending}
          disabled={empty}
          onClick={() => start.mutate(false)}
        >
          {again || ended ? t.jobs.startAgain : t.jobs.start}
        </Button>
        <Button
          size="small"
          busy={start.isPending}
          disabled={empty}
          title={t.jobs.estimate.hint}
          onClick={() => start.mutate(true)}
        >
          {t.jobs.estimate.action}
        </Button>
        {empty && <span className={styles.quiet}>{t.jobs.needsImages}</span>}
      </div>
      {error && <Notice tone="bad">{error.message}</Notice>}
    </>
  );
}

/** Another job's parameters close as these open, and what was above may have gone. */
function keepInView({
  currentTarget: { open, firstElementChild },
}: SyntheticEvent<HTMLDetailsElement>): void {
  if (open) firstElementChild?.scrollIntoView({ block: "nearest" });
}

/** Whether a job was given just these parameters. */
const isOf = (job: Job, params: Job["params"]): boolean =>
  Object.entries(params).every(([name, value]) => job.params[name] === value);

/** The defaults, with what the last job was given; what is no parameter any more is left out. */
function paramsOf({ defaults }: Algorithm, latest: Job | undefined): Job["params"] {
  const given = latest?.params ?? {};
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, name in given ? given[name] : value]),
  );
}
