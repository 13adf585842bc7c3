import { t } from "../../strings";
import styles from "./NotLoadedTile.module.css";

/** Over one of many examples, that it could not be loaded. */
export function NotLoadedTile({ name }: { name: string }) {
  return (
    <span className={styles.failed} title={t.label.tileFailed}>
      <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
        <path d="M1.5 3.5h13v9h-13zM1.5 14.5l13-13" />
      </svg>
      <span className={styles.name}>{name}</span>
    </span>
  );
}
