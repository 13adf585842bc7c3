import { t } from "../../strings";
import styles from "./LabelScreen.module.css";

/** How to change or keep what was said before: by keys, or by fingers where there are no keys. */
export function BeforeHint({ keys }: { keys: string }) {
  return (
    <small>
      <span className={styles.keys}>{keys}</span>
      <span className={styles.touch}>{t.label.touch.before}</span>
    </small>
  );
}
