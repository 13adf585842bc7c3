import { useSyncExternalStore } from "react";
import { t } from "../../strings";
import type { Work } from "../../tasks/spec";
import styles from "./LabelScreen.module.css";

const never = () => () => {};

/** How to change or keep what was said before: by keys, or by fingers where there are no keys. */
export function BeforeHint({ keys, work = null }: { keys: string; work?: Work }) {
  const isChanged = useSyncExternalStore(work?.subscribe ?? never, () => work?.isChanged === true);
  // Enter then sends what is there now.
  if (isChanged) return null;
  return (
    <small>
      <span className={styles.keys}>{keys}</span>
      <span className={styles.touch}>{t.label.touch.before}</span>
    </small>
  );
}
