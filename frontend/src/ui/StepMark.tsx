import { t } from "../strings";
import styles from "./StepMark.module.css";

/** Marks a step as done, as the one that is at hand, or as one that is still to come. */
export function StepMark({ state }: { state: "done" | "now" | "next" }) {
  return (
    <>
      <svg
        viewBox="0 0 16 16"
        width="16"
        height="16"
        className={styles.mark}
        data-state={state}
        aria-hidden="true"
      >
        {state === "done" && <path d="m3.5 8.5 3 3 6-7" />}
      </svg>
      {state === "done" && <span className="visually-hidden">{t.common.stepDone} </span>}
    </>
  );
}
