import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { cancelJob, resumeJob } from "../../api/rounds";
import type { Job, JobPause, JobResume } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../Button";
import { focusInvalid } from "../focusInvalid";
import { useManages } from "../managing";
import { formatMoney } from "../money";
import { NumberField } from "../NumberField";
import { Said } from "../Said";
import { Notice } from "../State";
import styles from "./Jobs.module.css";

type PausedJobProps = {
  job: Job & { pause: JobPause };
  /** What it is called, where the page does not say so. */
  name?: string | undefined;
  onSettled: () => void;
};

/** No job may spend more, in any currency. */
const MOST = 1e9;

export const isPaused = (job: Job): job is Job & { pause: JobPause } => job.pause !== null;

/** What a job has done and spent that has reached its cap, and how it goes on. */
export function PausedJob({ job, name, onSettled }: PausedJobProps) {
  const text = t.paused;
  const manages = useManages();
  const { spent, cap, what, done, of, rest, may_finish } = job.pause;
  const [most, setMost] = useState(() => enoughFor(job.pause));
  const resume = useMutation({
    mutationFn: (decided: JobResume) => resumeJob(job.id, decided),
    onSettled,
  });
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onSettled });
  const error = resume.error ?? cancel.error;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // The field hands on what is a number, and keeps what is none.
    if (!focusInvalid(event.currentTarget)) resume.mutate({ spend_at_most: most, finish: false });
  };
  return (
    <Notice tone="gold">
      <strong>{name ? `${name}: ${text.title}` : text.title}</strong>
      <p>
        {text.spent(formatMoney(spent), formatMoney(cap))} {text.done[what](done, of)}{" "}
        {rest !== null && text.rest(formatMoney(rest))}
      </p>
      {manages && (
        <>
          <form className={styles.paused} onSubmit={submit}>
            <NumberField
              label={text.raise}
              above={spent}
              max={MOST}
              needed={text.needed(formatMoney(spent), MOST)}
              value={most}
              onChange={(value) => setMost(value ?? most)}
            />
            <Button type="submit" kind="primary" busy={resume.isPending}>
              {text.goOn}
            </Button>
          </form>
          <p className={styles.quiet}>{text.raiseHint}</p>
          <div className={styles.actions}>
            {may_finish && (
              <Button
                size="small"
                title={text.finishHint}
                busy={resume.isPending}
                onClick={() => resume.mutate({ finish: true })}
              >
                {text.finish}
              </Button>
            )}
            <Button
              size="small"
              kind="quiet"
              busy={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {t.jobs.stop}
            </Button>
          </div>
          {may_finish && <p className={styles.quiet}>{text.finishHint}</p>}
        </>
      )}
      {error && (
        <span role="alert">
          <Said>{error}</Said>
        </span>
      )}
    </Notice>
  );
}

/** What it may probably end with, with a fifth to spare, and two digits that count. */
function enoughFor({ spent, cap, rest }: JobPause): number {
  const enough = Math.max(rest === null ? 2 * cap : spent + 1.2 * rest, cap);
  const step = 10 ** (Math.floor(Math.log10(Math.max(enough, 1e-9))) - 1);
  const rounded = Number((Math.ceil(enough / step) * step).toPrecision(6));
  return Math.min(rounded > spent ? rounded : rounded + step, MOST);
}
