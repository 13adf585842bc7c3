import type { ReactNode } from "react";
import type { LabelStatus } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/State";
import styles from "./Waiting.module.css";

type WaitingProps = {
  status: LabelStatus | null;
  canUndo: boolean;
  onUndo: () => void;
  children?: ReactNode;
};

/** Says calmly why there is no image, and that the next comes by itself. */
export function Waiting({ status, canUndo, onUndo, children }: WaitingProps) {
  const { waiting } = t.label;
  const reason =
    status?.project_state === "draft" ? waiting.draft : waiting[status?.waiting_for ?? "nothing"];
  return (
    <div className={styles.waiting} role="status" data-waiting-for={status?.waiting_for}>
      <Empty
        icon={<Stone moving={status?.waiting_for === "training"} />}
        title={reason.title}
        actions={canUndo && <Button onClick={onUndo}>{t.label.undoLast}</Button>}
      >
        {reason.text}
        {children}
      </Empty>
    </div>
  );
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
