import type { ExampleAnnotation, ExampleDetail, LabelClass } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { formatDateTime, formatSeconds } from "../../ui/format";
import styles from "./DetailPanel.module.css";

const { detail: text } = t.pool;

type HistoryProps = { annotations: ExampleAnnotation[]; classes: LabelClass[] };

/** Every verdict, the latest first, also those that were replaced. */
export function History({ annotations, classes }: HistoryProps) {
  if (annotations.length === 0) return <p className={styles.hint}>{text.noHistory}</p>;
  return (
    <ol className={styles.history}>
      {annotations.map((one) => {
        const chosen = classes.find((other) => other.id === one.class_id);
        return (
          <li key={one.id} data-gone={!one.holds || undefined}>
            <span className={styles.verdict}>
              <span
                className={styles.swatch}
                data-verdict={one.verdict}
                style={chosen && { background: chosen.colour }}
              />
              <strong>{chosen?.name ?? t.pool.values.verdict[one.verdict]}</strong>
              {!one.counted && <Chip>{text.late}</Chip>}
              {one.superseded_by !== null && <Chip>{text.replaced}</Chip>}
            </span>
            <small>{provenance(one)}</small>
          </li>
        );
      })}
    </ol>
  );
}

function provenance(one: ExampleAnnotation): string {
  const who =
    one.source === "import"
      ? text.by.import(one.source_name ?? "")
      : one.source === "review"
        ? text.by.review(one.annotator ?? "")
        : (one.annotator ?? "");
  const parts = [who];
  if (one.round !== null) parts.push(text.inRound(one.round));
  if (one.seconds > 0) parts.push(formatSeconds(one.seconds));
  parts.push(formatDateTime(one.created_at));
  return parts.join(" · ");
}

export function Places({ places }: { places: ExampleDetail["places"] }) {
  if (places.length === 0) return <p className={styles.hint}>{text.noPlaces}</p>;
  return (
    <ul className={styles.places}>
      {places.map((one) => (
        <li key={`${one.round}-${one.rank}-${one.done}-${one.again}`}>
          {one.requested ? text.sent(one.round) : text.place(one.round, one.rank)}
          <small>
            {[one.done ? text.done : text.waiting, one.again ? text.again : null]
              .filter(Boolean)
              .join(" · ")}
          </small>
        </li>
      ))}
    </ul>
  );
}
