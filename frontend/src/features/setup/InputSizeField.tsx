import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { projectQuery } from "../../api/projects";
import { retryJob, startJob } from "../../api/rounds";
import type { Job, Project, Settings, SizeChoice } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { EstimateNotice } from "../../ui/jobs/EstimateNotice";
import { JobAtWork } from "../../ui/jobs/JobAtWork";
import { useJobsOfKind } from "../../ui/jobs/JobControls";
import { sentenceOf } from "../../ui/jobs/outcome";
import { NumberField } from "../../ui/NumberField";
import { Said } from "../../ui/Said";
import { Failure, Notice } from "../../ui/State";
import styles from "./InputSizeField.module.css";

const BOUNDS = { integer: true, min: 8, max: 512 } as const;
const { inputSize: text } = t.setup;

type InputSizeFieldProps = {
  project: Project;
  hasImages: boolean;
  /** As it stands on the page; empty: the first import chooses. */
  value: number | null;
  onChange: (value: number | null) => void;
};

/** How large the model sees images: a setting until there are some, then what a job changes. */
export function InputSizeField({ project, hasImages, value, onChange }: InputSizeFieldProps) {
  if (hasImages && project.settings?.input_size) {
    return <StoredSize project={project} size={project.settings.input_size} />;
  }
  return (
    <NumberField
      {...BOUNDS}
      label={text.label}
      hint={text.hint}
      placeholder={text.chosen}
      nullable
      value={value}
      onChange={onChange}
    />
  );
}

type InputSizeProps = Pick<InputSizeFieldProps, "value" | "onChange"> & { choice: SizeChoice };

/** The same beside what the first import would choose. */
export function InputSize({ value, choice, onChange }: InputSizeProps) {
  return (
    <NumberField
      {...BOUNDS}
      label={text.label}
      hint={t.setup.plan.choosesSize(choice)}
      placeholder={String(choice.side)}
      nullable
      value={value}
      onChange={onChange}
    />
  );
}

function StoredSize({ project, size }: { project: Project; size: Settings["input_size"] }) {
  const [wanted, setWanted] = useState(size);
  const jobs = useJobsOfKind(project.id, "resize");
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const latest = jobs.data?.items[0];
  const atWork = latest?.state === "queued" || latest?.state === "running" ? latest : undefined;
  return (
    <>
      <NumberField
        {...BOUNDS}
        label={text.label}
        hint={text.stored}
        value={wanted}
        onChange={setWanted}
      />
      {jobs.error && <Failure error={jobs.error} onRetry={() => jobs.refetch()} />}
      {jobs.data && (atWork || (wanted !== null && wanted !== size)) && (
        <section className={styles.panel} aria-label={text.resize}>
          <strong>{text.from(size ?? 0, toBe(atWork) ?? wanted ?? 0)}</strong>
          {atWork ? (
            <JobAtWork job={atWork} onSettled={onSettled} />
          ) : (
            wanted !== null && (
              <ResizeStart
                key={wanted}
                project={project}
                size={wanted}
                jobs={jobs.data.items}
                onSettled={onSettled}
              />
            )
          )}
        </section>
      )}
    </>
  );
}

type ResizeStartProps = { project: Project; size: number; jobs: Job[]; onSettled: () => void };

function ResizeStart({ project, size, jobs, onSettled }: ResizeStartProps) {
  const start = useMutation({
    mutationFn: (dryRun: boolean) => startJob(project.id, "resize", { input_size: size }, dryRun),
    onSettled,
  });
  const goOn = useMutation({ mutationFn: (job: Job) => retryJob(job.id), onSettled });
  const [latest] = jobs.filter((job) => toBe(job) === size);
  const [last] = jobs.filter((job) => !job.dry_run);
  // What was made for another size is of no use for this one.
  const unfinished =
    last && toBe(last) === size && (last.state === "failed" || last.state === "cancelled")
      ? last
      : undefined;
  const error = start.error ?? goOn.error;
  return (
    <>
      <p className={styles.text}>{text.resizeHint}</p>
      {latest?.state === "failed" && (
        <Notice tone="bad">
          <Said>{sentenceOf(latest)}</Said>
        </Notice>
      )}
      {latest?.dry_run && <EstimateNotice job={latest} />}
      <div className={styles.actions}>
        <Button
          size="small"
          kind="primary"
          busy={start.isPending || goOn.isPending}
          onClick={() => (unfinished ? goOn.mutate(unfinished) : start.mutate(false))}
        >
          {unfinished ? t.jobs.goOn : text.resize}
        </Button>
        <Button
          size="small"
          busy={start.isPending}
          title={t.jobs.estimate.hint}
          onClick={() => start.mutate(true)}
        >
          {t.jobs.estimate.action}
        </Button>
      </div>
      <ErrorNotice error={error} />
    </>
  );
}

/** The size that a job brings images to. */
const toBe = (job: Job | undefined): number | undefined =>
  job?.params.input_size as number | undefined;
