import type { ReactNode } from "react";
import { t } from "../strings";
import { Button } from "./Button";
import { Said } from "./Said";
import styles from "./State.module.css";

/** Grey bars where text will be, of the height the text will have. */
export function Skeleton({
  height = "1.25rem",
  width = "100%",
}: {
  height?: string;
  width?: string;
}) {
  return <span className={styles.skeleton} style={{ height, width }} aria-hidden="true" />;
}

export function Loading({ children }: { children?: ReactNode }) {
  return (
    <div role="status" aria-busy="true" className={styles.loading}>
      <span className="visually-hidden">{t.common.loading}</span>
      {children}
    </div>
  );
}

type EmptyProps = {
  title: string;
  /** Whether this is all there is on the page. */
  isPage?: boolean;
  children?: ReactNode;
  actions?: ReactNode;
  icon?: ReactNode;
};

export function Empty({ title, isPage, children, actions, icon }: EmptyProps) {
  const Title = isPage ? "h1" : "h2";
  return (
    <div className={styles.empty}>
      {icon}
      <Title>{title}</Title>
      {children && <div className={styles.text}>{children}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

type FailureProps = { error: Error; onRetry?: () => void };

export function Failure({ error, onRetry }: FailureProps) {
  return (
    <div role="alert" className={styles.failure}>
      <div>
        <strong>{t.common.failed}</strong>
        <p>
          <Said>{error}</Said>
        </p>
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          {t.common.retry}
        </Button>
      )}
    </div>
  );
}

type NoticeProps = { tone?: "plain" | "bad" | "gold"; children: ReactNode; actions?: ReactNode };

export function Notice({ tone = "plain", children, actions }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === "bad" ? "alert" : undefined}>
      <div className={styles.noticeText}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
