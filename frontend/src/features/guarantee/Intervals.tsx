import type { CSSProperties } from "react";
import type { Interval } from "../../api/guarantee";
import { t } from "../../strings";
import styles from "./Guarantee.module.css";
import { withinOf } from "./words";

export type Measured = { name: string; hint?: string; value: Interval | null; colour?: string };

/** Shares with their intervals, one below the other on one scale from the lowest to 100 %. */
export function Intervals({ label, rows }: { label: string; rows: Measured[] }) {
  const lows = rows.flatMap(({ value }) => (value ? [value.low] : []));
  // Half of them rightly is low already; what is lower has the whole scale.
  const from = Math.min(...lows, 1) < 0.5 ? 0 : 0.5;
  const at = (share: number) => `${(100 * (share - from)) / (1 - from)}%`;
  return (
    <ul className={styles.intervals} aria-label={label}>
      {rows.map(({ name, hint, value, colour }) => (
        <li key={name} title={hint}>
          <span className={styles.intervalName}>
            {colour && <i className={styles.swatch} style={{ background: colour }} />}
            {name}
          </span>
          <span className={styles.scale} aria-hidden="true">
            {value && (
              <>
                <i
                  className={styles.span}
                  style={{ "--from": at(value.low), "--to": at(value.high) } as CSSProperties}
                />
                <i className={styles.point} style={{ "--at": at(value.share) } as CSSProperties} />
              </>
            )}
          </span>
          <span className={styles.intervalText}>{value ? withinOf(value) : t.advice.tooFew}</span>
        </li>
      ))}
    </ul>
  );
}
