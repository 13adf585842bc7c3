import styles from "./Grip.module.css";

/** What can be taken hold of: in some browsers nothing is dragged by a button. */
export function Grip() {
  return (
    <svg className={styles.grip} viewBox="0 0 8 16" width="8" height="16" aria-hidden="true">
      <path d="M2 4h0M6 4h0M2 8h0M6 8h0M2 12h0M6 12h0" />
    </svg>
  );
}
