import { useEffect, useState } from "react";
import { listenToProject } from "../../api/events";
import type { Job, JobProgress, LabelStatus } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Meter } from "../../ui/Meter";
import { Empty } from "../../ui/State";
import styles from "./Waiting.module.css";

type WaitingProps = {
  projectId: number;
  status: LabelStatus | null;
  canUndo: boolean;
  onUndo: () => void;
  /** Something in the project has changed: there may be images now. */
  onNews: () => void;
};

/** Says calmly why there is no image, and that the next comes by itself. */
export function Waiting({ projectId, status, canUndo, onUndo, onNews }: WaitingProps) {
  const [progress, setProgress] = useState<JobProgress | null>(null);
  useEffect(
    () =>
      listenToProject(projectId, (kind, data) => {
        if (kind === "job") setProgress((data as Partial<Job>).progress ?? null);
        else onNews();
      }),
    [projectId, onNews],
  );
  const training = status?.waiting_for === "training";
  const reason = status ? t.label.waiting[reasonOf(status)] : t.label.waiting.nothing;
  return (
    <div className={styles.waiting} role="status" data-waiting-for={status?.waiting_for}>
      <Empty
        icon={<Stone moving={training} />}
        title={reason.title}
        actions={canUndo && <Button onClick={onUndo}>{t.label.undoLast}</Button>}
      >
        {reason.text}
      </Empty>
      <div className={styles.progress}>
        {training && progress && <Training progress={progress} />}
      </div>
    </div>
  );
}

function Training({ progress }: { progress: JobProgress }) {
  const { phase, phases, phase_index: at, step, steps } = progress;
  return (
    <Meter
      label={t.common.phases[phase] ?? phase}
      value={at + (steps > 0 ? step / steps : 0)}
      max={phases.length}
    />
  );
}

function reasonOf(status: LabelStatus): keyof typeof t.label.waiting {
  if (status.project_state === "draft") return "draft";
  if (status.waiting_for === "training" && status.round?.state === "failed") return "failed";
  return status.waiting_for;
}

function Stone({ moving }: { moving: boolean }) {
  return (
    <svg
      className={moving ? styles.moving : ""}
      width="72"
      height="72"
      viewBox="0 0 32 32"
      aria-hidden="true"
    >
      <path className={styles.facet} d="M16 2 22 12H10z" />
      <path className={styles.facet} d="M22 12 16 2l13 10z" />
      <path className={styles.facet} d="M29 12 16 30l6-18z" />
      <path className={styles.facet} d="M10 12h12l-6 18z" />
      <path className={styles.facet} d="M3 12h7l6 18z" />
      <path className={styles.facet} d="M3 12 16 2l-6 10z" />
    </svg>
  );
}
