import type { PoolAction } from "../../api/pool";
import type { Changed } from "../../api/types";
import { t } from "../../strings";
import styles from "./PoolScreen.module.css";

export type Done = {
  action: PoolAction | "promote" | "verdict" | "take-back";
  changed: Changed;
  name?: string;
  /** Of a verdict, by which it is taken back. */
  call?: string;
};

/** What was done with the images that were selected. */
export function Outcome({ done }: { done: Done }) {
  const { action, changed } = done;
  const text = t.pool.done;
  return (
    <div className={styles.notice} role="status">
      <strong>{titleOf(done)}</strong>
      {changed.moved > 0 && <p>{text.moved(changed.moved)}</p>}
      {changed.again > 0 && action !== "promote" && <p>{text.again(changed.again)}</p>}
      {Object.entries(changed.left_out).map(([why, left]) => (
        <p key={why}>{t.pool.leftOut(left, t.pool.reasons[why] ?? why)}</p>
      ))}
    </div>
  );
}

function titleOf({ action, changed, name = "" }: Done): string {
  const number = changed.example_ids.length;
  if (action === "promote") return t.pool.done.promoted(name, number);
  if (action === "verdict") return t.pool.byHand.many.done(name, number);
  if (action === "take-back") return t.pool.byHand.many.takenBack(number);
  return t.pool.done[action](number, changed.round ?? null);
}
