import { t } from "../../strings";
import { Button } from "../../ui/Button";
import styles from "./PoolScreen.module.css";
import type { Picked } from "./useSelection";

type OutlinedProps = {
  count: { count: number; exact: boolean };
  selection: Picked;
  /** Takes the outline away; null where the map does. */
  onClose: (() => void) | null;
};

/** How much lies within the outline that was drawn on the map. */
export function Outlined({ count, selection, onClose }: OutlinedProps) {
  return (
    <div className={styles.inside}>
      <h3>{t.pool.map.inside(t.pool.count(count.count, count.exact))}</h3>
      <Button
        size="small"
        onClick={selection.pickAll}
        disabled={selection.all || count.count === 0}
      >
        {t.pool.map.selectInside}
      </Button>
      {onClose && (
        <Button size="small" kind="quiet" onClick={onClose}>
          {t.rounds.inside.close}
        </Button>
      )}
    </div>
  );
}
