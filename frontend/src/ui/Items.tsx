import type { ReactNode } from "react";
import styles from "./Items.module.css";

type ItemsProps = { label?: string; children: ReactNode };

/** A list of what has several lines and things to do about it, one below the other with a line between. */
export function Items({ label, children }: ItemsProps) {
  return (
    <ul className={styles.items} aria-label={label}>
      {children}
    </ul>
  );
}
