import { CopyButton } from "./CopyButton";
import styles from "./Secret.module.css";
import { Notice } from "./State";

type SecretProps = {
  /** What to do with it, since it is shown this once. */
  title: string;
  /** What it is. */
  label: string;
  value: string;
};

/** A password or a token at the only moment it is shown. */
export function Secret({ title, label, value }: SecretProps) {
  return (
    <Notice tone="gold" actions={<CopyButton text={value} />}>
      <strong>{title}</strong>
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
