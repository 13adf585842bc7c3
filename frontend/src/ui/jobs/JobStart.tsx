import { hashKey, useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useRef, useState } from "react";
import { paramsWith } from "../../api/algorithms";
import { retryJob, startJob } from "../../api/rounds";
import type { Algorithm, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../Button";
import { ErrorNotice } from "../ErrorNotice";
import { focusInvalid } from "../focusInvalid";
import { ParamsForm } from "../ParamsForm";
import { Said } from "../Said";
import { Notice } from "../State";
import { useWeightsOf } from "../useWeightsOf";
import { EstimateNotice } from "./EstimateNotice";
import styles from "./Jobs.module.css";
import { sentenceOf } from "./outcome";
import { relevant } from "./relevant";
import { useMethodChoice } from "./useMethodChoice";
import { useSubsetChoice } from "./useSubsetChoice";

/** Jobs that train networks, which may take hours where there is no GPU. */
const LONG: ReadonlySet<string> = new Set([
  "taufe",
  "localize",
  "prune",
  "relabel",
  "learn_features",
]);

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
  const [given, setGiven] = useState(() => givenBefore(latest, project));
  // Defaults may still follow the workers that there are; what was changed is all given.
  const params = paramsWith(algorithm, given);
  const [withWeights, fitting] = useWeightsOf(algorithm, params);
  const asked = useMethodChoice(useSubsetChoice(project.id, withWeights, params.subset), params);
  const shown = relevant(asked, params);
  const fields = useRef<HTMLDetailsElement>(null);
  const start = useMutation({
    mutationFn: (dryRun: boolean) => startJob(project.id, algorithm.name, params, dryRun),
    onSettled,
  });
  /** Only what the fields show: one that shows no valid value has not handed it on. */
  const startValid = (dryRun: boolean) => {
    forgetErrors();
    if (!fields.current || !focusInvalid(fields.current)) start.mutate(dryRun);
  };
  const goOn = useMutation({ mutationFn: (job: Job) => retryJob(job.id), onSettled });
  /** What the server refused is no longer what the fields show, or is asked again. */
  const forgetErrors = () => {
    for (const attempt of [start, goOn]) if (attempt.isError) attempt.reset();
  };
  // What ended early goes on with what it was given, so not where something else stands above.
  const resumable =
    unfinished && endedEarly(unfinished) && isOf(unfinished, algorithm, params)
      ? unfinished
      : undefined;
  const { pool, evaluation, auxiliary_ood } = project.counts;
  // Images of any split can be brought to another size.
  const empty = (algorithm.name === "resize" ? pool + evaluation + auxiliary_ood : pool) === 0;
  const error = start.error ?? goOn.error;
  const isMeasured = latest?.dry_run === true && isOf(latest, algorithm, params);
  return (
    <>
      {latest?.state === "failed" && (
        <Notice tone="bad">
          <Said>{sentenceOf(latest)}</Said>
        </Notice>
      )}
      {resumable && latest?.state === "cancelled" && !latest.dry_run && (
        <p className={styles.quiet}>{t.jobs.stopped}</p>
      )}
      {latest && isMeasured && <EstimateNotice job={latest} />}
      <details
        ref={fields}
        className={styles.params}
        name="job-parameters"
        onToggle={keepInView}
        // Here, as a field hands on no value that is not valid.
        onChange={forgetErrors}
      >
        <summary>{t.jobs.parameters}</summary>
        <ParamsForm
          algorithm={shown}
          params={params}
          onChange={(changed) => setGiven(fitting(changed))}
        />
      </details>
      <div className={styles.actions}>
        {resumable && (
          <Button
            size="small"
            kind="primary"
            busy={goOn.isPending}
            onClick={() => {
              forgetErrors();
              goOn.mutate(resumable);
            }}
          >
            {t.jobs.goOn}
          </Button>
        )}
        <Button
          size="small"
          kind={resumable || again ? "secondary" : "primary"}
          busy={start.isPending}
          disabled={empty}
          onClick={() => startValid(false)}
        >
          {resumable ? t.jobs.startAfresh : t.jobs.start}
        </Button>
        <Button
          size="small"
          busy={start.isPending}
          disabled={empty}
          title={t.jobs.estimate.hint}
          onClick={() => startValid(true)}
        >
          {t.jobs.estimate.action}
        </Button>
        {empty && <span className={styles.quiet}>{t.jobs.needsImages}</span>}
      </div>
      {!empty && !again && !isMeasured && LONG.has(algorithm.name) && (
        <p className={styles.quiet}>{t.jobs.estimate.before}</p>
      )}
      <ErrorNotice error={error} />
    </>
  );
}

/** Another job's parameters close as these open, and what was above may have gone. */
function keepInView({
  currentTarget: { open, firstElementChild },
}: SyntheticEvent<HTMLDetailsElement>): void {
  if (open) firstElementChild?.scrollIntoView({ block: "nearest" });
}

/** Whether there is something of a job to go on with; an estimate leaves nothing. */
const endedEarly = ({ state, dry_run }: Job): boolean =>
  !dry_run && (state === "failed" || state === "cancelled");

/** Whether a job was given just these parameters; it may be older than some of them. */
const isOf = (job: Job, algorithm: Algorithm, params: Job["params"]): boolean =>
  hashKey([paramsWith(algorithm, job.params)]) === hashKey([params]);

/** As the last job, or what was estimated; but a new one learns from the subset that the project trains on. */
const givenBefore = (latest: Job | undefined, { settings }: Project): Job["params"] =>
  latest && (endedEarly(latest) || (latest.dry_run && latest.state === "succeeded"))
    ? latest.params
    : { ...latest?.params, subset: settings?.subset ?? null };
