import { useEffect } from "react";
import { t } from "../../strings";
import { isTouch } from "../../ui/isTouch";
import styles from "./PauseCover.module.css";
import type { Pause } from "./queue/pace";
import type { Stopwatch } from "./queue/stopwatch";

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "Tab"]);

type PauseCoverProps = {
  why: Pause;
  /** Whether something is made of the image that is not sent, which keeps its place meanwhile. */
  isWorkedAt?: boolean | undefined;
  stopwatch: Stopwatch;
  onResume: () => void;
};

/** A dialog may open over it, as where one has to sign in again. */
const isInDialog = ({ target }: Event) => (target as Element).closest("dialog") !== null;

/** Lies over the image during a break. Any key or click ends one that was asked for, and does no more. */
export function PauseCover({ why, isWorkedAt, stopwatch, onResume }: PauseCoverProps) {
  useEffect(() => {
    if (why !== "asked") return;
    stopwatch.hold(true);
    const swallow = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const onKey = (event: KeyboardEvent) => {
      if (isInDialog(event)) return;
      if (MODIFIERS.has(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      swallow(event);
      if (!event.repeat) onResume();
    };
    const onClick = (event: MouseEvent) => {
      // Whoever leaves the page need not go on first.
      if (isInDialog(event) || (event.target as Element).closest("a")) return;
      swallow(event);
      onResume();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    window.addEventListener("click", onClick, { capture: true });
    return () => {
      stopwatch.hold(false);
      window.removeEventListener("keydown", onKey, { capture: true });
      window.removeEventListener("click", onClick, { capture: true });
    };
  }, [why, stopwatch, onResume]);
  const text = t.label.pause[why];
  return (
    <div className={styles.cover} data-paused={why}>
      <div className={styles.card} role="status">
        <h2>{text.title}</h2>
        <p>{isTouch() ? text.touch : text.text}</p>
        {isWorkedAt && <p>{t.label.pause.kept}</p>}
      </div>
    </div>
  );
}
