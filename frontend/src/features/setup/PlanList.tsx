import { useMutation, useQueryClient } from "@tanstack/react-query";
import { discardImport, listed, startImport } from "../../api/imports";
import { projectQuery } from "../../api/projects";
import { isActive, retryJob } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { sentenceOf } from "../../ui/jobs/outcome";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./ImagesCard.module.css";
import { planOf } from "./plan";
import { TextColumn } from "./TextColumn";

type PlanListProps = { project: Project; jobs: Job[]; onContinue: (job: Job) => void };

/** Imports that are planned, and wait to be started or discarded. */
export function PlanList({ project, jobs, onContinue }: PlanListProps) {
  return (
    <ul className={styles.list} aria-label={t.setup.plan.plans}>
      {jobs.map((job) => (
        <PlanItem key={job.id} project={project} job={job} onContinue={onContinue} />
      ))}
    </ul>
  );
}

function PlanItem({ project, job, onContinue }: { job: Job } & Omit<PlanListProps, "jobs">) {
  const { id: projectId, medium } = project;
  const text = t.setup.plan;
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  const discard = useMutation({ mutationFn: () => discardImport(projectId, job.id), onSettled });
  const retry = useMutation({ mutationFn: () => retryJob(job.id), onSettled });
  const again = useMutation({
    mutationFn: (text_column: string) =>
      startImport(projectId, job.id, { folder_split: {}, text_column, dry_run: true }),
    onSuccess: onContinue,
    onSettled,
  });
  const hasTextColumn = medium === "text" && !traitsOf(project).hasParts;
  const { name, kind } = listed(job);
  const isReady = planOf(job) !== null;
  const isLooking = isActive(job);
  const error = discard.error ?? retry.error ?? again.error;
  return (
    <li>
      <div className={styles.item}>
        <strong>{name}</strong>
        <span className={styles.kind}>{t.setup.sources[kind]}</span>
        <Chip tone={isLooking ? "plain" : isReady ? "gold" : "bad"}>
          {isLooking ? text.looking : isReady ? text.waits : t.setup.importFailed}
        </Chip>
        <span className={styles.choices}>
          {isReady && (
            <Button size="small" kind="primary" onClick={() => onContinue(job)}>
              {text.continue}
            </Button>
          )}
          {!isLooking && !isReady && (
            <Button size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
              {t.common.retry}
            </Button>
          )}
          <Button
            size="small"
            kind="quiet"
            busy={discard.isPending}
            onClick={() => discard.mutate()}
          >
            {text.discard}
          </Button>
        </span>
      </div>
      {job.state === "running" && job.progress && job.progress.steps > 0 && (
        <Meter
          label={text.looking}
          hideLabel
          value={job.progress.step}
          max={job.progress.steps}
          text={t.overview.step(job.progress.step, job.progress.steps)}
        />
      )}
      {job.state === "queued" && job.message && (
        <p className={styles.kind}>
          <Said>{sentenceOf(job)}</Said>
        </p>
      )}
      {job.state === "failed" && (
        <Notice tone="bad">
          <Said>{sentenceOf(job)}</Said>
        </Notice>
      )}
      {job.state === "failed" && hasTextColumn && job.error?.code === "invalid_column" && (
        <TextColumn column="" busy={again.isPending} onChange={again.mutate} />
      )}
      <ErrorNotice error={error} />
    </li>
  );
}
