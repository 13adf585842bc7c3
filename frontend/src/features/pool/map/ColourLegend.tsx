import { t } from "../../../strings";
import { formatCount } from "../../../ui/format";
import { css, type Entry, NONE, ramp } from "./colouring";
import styles from "./EmbeddingMap.module.css";

const { map: text } = t.pool;

type ColourLegendProps = {
  entries: Entry[];
  range: [number, number] | null;
  /** Whether the numbers are of images, and not of places where many are. */
  counts: boolean;
  hidden: ReadonlySet<number>;
  onHide: (value: number) => void;
};

/** What the colours mean; each entry is a button that takes its images away or back. */
export function ColourLegend({ entries, range, counts, hidden, onHide }: ColourLegendProps) {
  return (
    <fieldset className={styles.legend}>
      <legend className="visually-hidden">{text.legend}</legend>
      {entries.map(({ value, name, colour, count }) => (
        <button
          key={value}
          type="button"
          aria-pressed={!hidden.has(value)}
          onClick={() => onHide(value)}
        >
          <i style={{ background: css(colour), opacity: value === NONE ? 0.5 : 1 }} />
          {name}
          {counts && <small>{formatCount(count)}</small>}
        </button>
      ))}
      {entries.length === 0 && range && (
        <>
          <span className={styles.ramp}>
            {shown(range[0])}
            <i
              style={{
                background: `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((share) => css(ramp(share))).join(", ")})`,
              }}
            />
            {shown(range[1])}
          </span>
          <button type="button" aria-pressed={!hidden.has(NONE)} onClick={() => onHide(NONE)}>
            <i className={styles.quiet} />
            {text.notScored}
          </button>
        </>
      )}
      {entries.length === 0 && !range && <p className={styles.hint}>{t.pool.noScores}</p>}
    </fieldset>
  );
}

const shown = (value: number): string => Number(value.toPrecision(3)).toString();
