import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { projectQuery } from "../../api/projects";
import { cancelJob, learningQuery, retryJob, startJob } from "../../api/rounds";
import type { Algorithm, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { formatSeconds } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Failure, Notice } from "../../ui/State";
import styles from "./LearnedFeatures.module.css";
import { ParamsForm } from "./ParamsForm";

type LearnedFeaturesProps = {
  project: Project;
  /** The job as the catalog has it. */
  algorithm: Algorithm;
  /** Titles of what is chosen and needs the features. */
  needing: string[];
};

/** Says that what is chosen needs learned features, and starts and follows the job. */
export function LearnedFeatures({ project, algorithm, needing }: LearnedFeaturesProps) {
  const jobs = useQuery({
    ...learningQuery(project.id),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });
  if (jobs.error) return <Failure error={jobs.error} onRetry={() => jobs.refetch()} />;
  if (!jobs.data) return null;
  const [latest] = jobs.data.items;
  const learned = jobs.data.items.find((job) => job.state === "succeeded");
  const active = latest !== undefined && isActive(latest);
  return (
    <section className={styles.panel} aria-label={t.setup.learned}>
      <div className={styles.text}>
        <strong>{t.setup.learned}</strong>
        <p>
          {learned?.finished_at
            ? t.setup.learnedAt(new Date(learned.finished_at))
            : t.setup.learnFirst(needing)}
        </p>
      </div>
      {active ? (
        <AtWork project={project} job={latest} />
      ) : (
        <Start project={project} algorithm={algorithm} latest={latest} again={Boolean(learned)} />
      )}
    </section>
  );
}

const isActive = (job: Job): boolean => job.state === "queued" || job.state === "running";

function useRefresh(projectId: number) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
}

function AtWork({ project, job }: { project: Project; job: Job }) {
  const onSettled = useRefresh(project.id);
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onSettled });
  const { progress } = job;
  const eta = progress?.eta_seconds;
  const counted = progress && progress.steps > 0 ? progress : null;
  return (
    <>
      <Meter
        label={
          progress ? (t.common.phases[progress.phase] ?? progress.phase) : t.overview.jobQueued
        }
        value={counted?.step ?? 0}
        max={counted?.steps ?? 1}
        text={counted ? t.overview.step(counted.step, counted.steps) : ""}
      />
      <div className={styles.actions}>
        <Button
          size="small"
          busy={cancel.isPending || job.cancel_requested}
          onClick={() => cancel.mutate()}
        >
          {t.setup.stop}
        </Button>
        {typeof eta === "number" && (
          <span className={styles.quiet}>{t.overview.jobEta(formatSeconds(eta))}</span>
        )}
      </div>
      {cancel.error && <Notice tone="bad">{cancel.error.message}</Notice>}
    </>
  );
}

type StartProps = {
  project: Project;
  algorithm: Algorithm;
  latest: Job | undefined;
  again: boolean;
};

function Start({ project, algorithm, latest, again }: StartProps) {
  const [params, setParams] = useState(latest?.params ?? algorithm.defaults);
  const onSettled = useRefresh(project.id);
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
      {latest?.state === "cancelled" && <p className={styles.quiet}>{t.setup.learningStopped}</p>}
      <details className={styles.params}>
        <summary>
          {t.setup.advanced}: {algorithm.title}
        </summary>
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
            {t.setup.learnGoOn}
          </Button>
        )}
        <Button
          size="small"
          kind={ended || again ? "secondary" : "primary"}
          busy={start.isPending}
          disabled={empty}
          onClick={() => start.mutate()}
        >
          {again || ended ? t.setup.learnAgain : t.setup.learn}
        </Button>
        {empty && <span className={styles.quiet}>{t.setup.learnNeedsImages}</span>}
      </div>
      {error && <Notice tone="bad">{error.message}</Notice>}
    </>
  );
}
