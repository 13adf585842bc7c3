import { t } from "../strings";
import { formatCount, hasEnd, neverRound } from "./format";
import styles from "./Meter.module.css";
import { Term, type Word } from "./Term";

type MeterProps = {
  label: string;
  value: number;
  /** Null where there is no end, and so no bar. */
  max: number | null;
  hideLabel?: boolean;
  text?: string;
};

/** A thin gold bar: how much of something is done. */
export function Meter({ label, value, max, hideLabel, text }: MeterProps) {
  const share = max ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div className={styles.meter}>
      {!hideLabel && (
        <div className={styles.caption}>
          <span>{label}</span>
          {text && <span className={styles.text}>{text}</span>}
        </div>
      )}
      {max !== null && (
        <div
          className={styles.track}
          role="progressbar"
          aria-label={label}
          aria-valuenow={Math.round(share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={text}
        >
          <div className={styles.fill} style={{ transform: `scaleX(${share})` }} />
        </div>
      )}
    </div>
  );
}

/** How much of its budget a round has spent. */
export function SpentMeter({
  label,
  round: { spent, budget },
}: {
  label: string;
  round: { spent: number; budget: number };
}) {
  const max = hasEnd(budget) ? budget : null;
  return <Meter label={label} value={spent} max={max} text={t.projects.spent(spent, max)} />;
}

export type Part = {
  label: string;
  /** Word of the glossary that says what it is. */
  term?: Word | null;
  value: number;
  tone: "in" | "nothing" | "ood" | "unsure" | "queried" | "open" | "rest";
};

/** A whole in parts, with its legend. */
export function Parts({ label, parts }: { label: string; parts: Part[] }) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  return (
    <figure className={styles.parts} aria-label={label}>
      <div className={styles.bar} aria-hidden="true">
        {parts
          .filter((part) => part.value > 0)
          .map((part) => (
            <div
              key={part.label}
              className={styles[part.tone]}
              style={{ flexGrow: part.value, minWidth: 2 }}
            />
          ))}
      </div>
      <dl className={styles.legend}>
        {parts.map((part) => (
          <div key={part.label}>
            <dt>
              <span className={`${styles.swatch} ${styles[part.tone]}`} />
              {part.term ? <Term of={part.term}>{part.label}</Term> : part.label}
            </dt>
            <dd>
              {formatCount(part.value)}
              <span className={styles.share}>{shareOf(part.value, total)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

function shareOf(value: number, total: number): string {
  if (value === 0 || total === 0) return "";
  const percent = (100 * value) / total;
  return t.common.units.percent(neverRound(value / total, 100, percent < 10 ? 1 : 0));
}
