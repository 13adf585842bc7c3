import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { projectQuery } from "../../api/projects";
import { retryJob, startJob } from "../../api/rounds";
import type { Job, Project, Settings, SizeChoice } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { SelectField } from "../../ui/Field";
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

/** What models see of images; without a size, the first import chooses one. */
export type Seen = Pick<Settings, "input_size" | "fit">;

type InputSizeFieldProps = {
  project: Project;
  hasImages: boolean;
  /** As it stands on the page. */
  value: Seen;
  onChange: (value: Seen) => void;
};

/** How the model sees images: settings until there are some, then what a job changes. */
export function InputSizeField({ project, hasImages, value, onChange }: InputSizeFieldProps) {
  if (hasImages && project.settings?.input_size) {
    return <StoredSize project={project} now={project.settings} />;
  }
  return (
    <>
      <FitField value={value.fit} onChange={(fit) => onChange({ ...value, fit })} />
      <NumberField
        {...BOUNDS}
        label={text.label}
        hint={text.hint}
        placeholder={text.chosen}
        nullable
        value={value.input_size}
        onChange={(input_size) => onChange({ ...value, input_size })}
      />
    </>
  );
}

type InputSizeProps = Pick<InputSizeFieldProps, "value" | "onChange"> & { choice: SizeChoice };

/** The same beside what the first import would choose. */
export function InputSize({ value, choice, onChange }: InputSizeProps) {
  const isPlanned = value.fit === (choice.fit ?? "crop");
  return (
    <>
      <FitField value={value.fit} onChange={(fit) => onChange({ ...value, fit })} />
      <NumberField
        {...BOUNDS}
        label={text.label}
        hint={isPlanned ? t.setup.plan.choosesSize(choice) : text.hint}
        placeholder={isPlanned ? String(choice.side) : text.chosen}
        nullable
        value={value.input_size}
        onChange={(input_size) => onChange({ ...value, input_size })}
      />
    </>
  );
}

function FitField(props: { value: Seen["fit"]; onChange: (value: Seen["fit"]) => void }) {
  return (
    <SelectField
      label={text.fit.label}
      hint={text.fit.hints[props.value]}
      value={props.value}
      onChange={(event) => props.onChange(event.target.value as Seen["fit"])}
    >
      {(["pad", "crop"] as const).map((fit) => (
        <option key={fit} value={fit}>
          {text.fit.names[fit]}
        </option>
      ))}
    </SelectField>
  );
}

function StoredSize({ project, now }: { project: Project; now: Seen }) {
  const [wanted, setWanted] = useState(now);
  const jobs = useJobsOfKind(project.id, "resize");
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const latest = jobs.data?.items[0];
  const atWork = latest?.state === "queued" || latest?.state === "running" ? latest : undefined;
  return (
    <>
      <FitField value={wanted.fit} onChange={(fit) => setWanted({ ...wanted, fit })} />
      <NumberField
        {...BOUNDS}
        label={text.label}
        hint={text.stored}
        value={wanted.input_size}
        onChange={(input_size) => setWanted({ ...wanted, input_size })}
      />
      {jobs.error && <Failure error={jobs.error} onRetry={() => jobs.refetch()} />}
      {jobs.data && (atWork || (wanted.input_size !== null && !isSame(wanted, now))) && (
        <section className={styles.panel} aria-label={text.resize}>
          <strong>{changeOf(now, atWork ? toBe(atWork, now) : wanted)}</strong>
          {atWork ? (
            <JobAtWork job={atWork} onSettled={onSettled} />
          ) : (
            <ResizeStart
              key={`${wanted.input_size} ${wanted.fit}`}
              project={project}
              now={now}
              wanted={wanted}
              jobs={jobs.data.items}
              onSettled={onSettled}
            />
          )}
        </section>
      )}
    </>
  );
}

type ResizeStartProps = {
  project: Project;
  now: Seen;
  wanted: Seen;
  jobs: Job[];
  onSettled: () => void;
};

function ResizeStart({ project, now, wanted, jobs, onSettled }: ResizeStartProps) {
  const { input_size, fit } = wanted;
  const start = useMutation({
    mutationFn: (dryRun: boolean) => startJob(project.id, "resize", { input_size, fit }, dryRun),
    onSettled,
  });
  const goOn = useMutation({ mutationFn: (job: Job) => retryJob(job.id), onSettled });
  const [latest] = jobs.filter((job) => isSame(toBe(job, now), wanted));
  const [last] = jobs.filter((job) => !job.dry_run);
  // What was made for another size is of no use for this one.
  const unfinished =
    last &&
    isSame(toBe(last, now), wanted) &&
    (last.state === "failed" || last.state === "cancelled")
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

/** What a job brings images to; one of an earlier version leaves what is seen of them. */
const toBe = ({ params }: Job, now: Seen): Seen => ({
  input_size: params.input_size as Seen["input_size"],
  fit: (params.fit as Seen["fit"] | undefined) ?? now.fit,
});

const isSame = (one: Seen, other: Seen): boolean =>
  one.input_size === other.input_size && one.fit === other.fit;

/** What becomes of the images, in a line. */
function changeOf(now: Seen, then: Seen): string {
  const { from, fit } = text;
  const sizes = [now.input_size ?? 0, then.input_size ?? 0] as const;
  if (now.fit === then.fit) return from(...sizes);
  if (now.input_size === then.input_size) return fit.to[then.fit];
  return fit.both(fit.to[then.fit], ...sizes);
}
