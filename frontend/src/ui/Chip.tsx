import type { ReactNode } from "react";
import styles from "./Chip.module.css";

type ChipProps = { tone?: "plain" | "gold" | "good" | "bad"; dot?: boolean; children: ReactNode };

export function Chip({ tone = "plain", dot, children }: ChipProps) {
  return (
    <span className={`${styles.chip} ${styles[tone]}`}>
      {dot && <span className={styles.dot} aria-hidden="true" />}
      {children}
    </span>
  );
}
