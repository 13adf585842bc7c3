import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { retryJob, startJob } from "../../api/rounds";
import type { Algorithm, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../Button";
import { ParamsForm } from "../ParamsForm";
import { Notice } from "../State";
import styles from "./Jobs.module.css";

type JobStartProps = {
  project: Project;
  algorithm: Algorithm;
  /** The last job of this kind, whose parameters are offered again. */
  latest: Job | undefined;
  /** Whether there is a result already, so that another is no first wish. */
  again: boolean;
  onSettled: () => void;
};

/** Starts a job of the catalog, or lets one that ended early go on. */
export function JobStart({ project, algorithm, latest, again, onSettled }: JobStartProps) {
  const [params, setParams] = useState(() => paramsOf(algorithm, latest));
  const start = useMutation({
    mutationFn: () => startJob(project.id, algorithm.name, params),
    onSettled,
  });
  const goOn = useMutation({ mutationFn: (job: Job) => retryJob(job.id), onSettled });
  const ended = latest && (latest.state === "failed" || latest.state === "cancelled");
  const empty = project.counts.pool === 0;
  const error = start.error ?? goOn.error;
  return (
    <>
      {latest?.state === "failed" && (
        <Notice tone="bad">{latest.error?.detail ?? latest.message}</Notice>
      )}
      {latest?.state === "cancelled" && <p className={styles.quiet}>{t.jobs.stopped}</p>}
      <details className={styles.params}>
        <summary>{t.jobs.parameters}</summary>
        <ParamsForm algorithm={algorithm} params={params} onChange={setParams} />
      </details>
      <div className={styles.actions}>
        {ended && (
          <Button
            size="small"
            kind="primary"
            busy={goOn.isPending}
            onClick={() => goOn.mutate(latest)}
          >
            {t.jobs.goOn}
          </Button>
        )}
        <Button
          size="small"
          kind={ended || again ? "secondary" : "primary"}
          busy={start.isPending}
          disabled={empty}
          onClick={() => start.mutate()}
        >
          {again || ended ? t.jobs.startAgain : t.jobs.start}
        </Button>
        {empty && <span className={styles.quiet}>{t.jobs.needsImages}</span>}
      </div>
      {error && <Notice tone="bad">{error.message}</Notice>}
    </>
  );
}

/** The defaults, with what the last job was given; what is no parameter any more is left out. */
function paramsOf({ defaults }: Algorithm, latest: Job | undefined): Job["params"] {
  const given = latest?.params ?? {};
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, name in given ? given[name] : value]),
  );
}
