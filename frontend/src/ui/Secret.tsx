import type { ReactNode } from "react";
import { CopyButton } from "./CopyButton";
import styles from "./Secret.module.css";
import { Notice } from "./State";

type SecretProps = {
  /** What to do with it, since it is shown this once. */
  title: string;
  /** What it is. */
  label: string;
  value: string;
  /** What it belongs to. */
  children?: ReactNode;
};

/** A password or a token at the only moment it is shown. */
export function Secret({ title, label, value, children }: SecretProps) {
  return (
    <Notice tone="gold" actions={<CopyButton text={value} />}>
      <strong>{title}</strong>
      {children}
      <input
        className={styles.secret}
        aria-label={label}
        readOnly
        value={value}
        onFocus={(event) => event.target.select()}
      />
    </Notice>
  );
}
