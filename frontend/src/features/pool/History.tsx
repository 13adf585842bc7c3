import { Link } from "react-router";
import type { ExampleAnnotation, ExampleDetail, Project } from "../../api/types";
import { t } from "../../strings";
import { NoteText } from "../../tasks/NoteList";
import { saidOf } from "../../tasks/said";
import { verdictNames } from "../../tasks/stateNames";
import { Chip } from "../../ui/Chip";
import { formatChance, formatDateTime, formatSeconds } from "../../ui/format";
import { highOf } from "../../ui/outOf";
import styles from "./DetailPanel.module.css";

const { detail: text } = t.pool;

type HistoryProps = { project: Project; annotations: ExampleAnnotation[] };

/** Every verdict, the latest first, also those that were replaced. */
export function History({ project, annotations }: HistoryProps) {
  if (annotations.length === 0) return <p className={styles.hint}>{text.noHistory}</p>;
  return (
    <ol className={styles.history}>
      {annotations.map((one) => {
        const chosen = project.classes.find((other) => other.id === one.class_id);
        return (
          <li key={one.id} data-gone={!one.holds || undefined}>
            <span className={styles.verdict}>
              <span
                className={styles.swatch}
                data-verdict={one.verdict}
                style={chosen && { background: chosen.colour }}
              />
              <strong>{chosen?.name ?? saidOf(one.label) ?? verdictOf(one, project)}</strong>
              {one.seen_as !== null && <span>{text.seenAs(one.seen_as)}</span>}
              {!one.counted && <Chip>{text.late}</Chip>}
              {one.superseded_by !== null && <Chip>{text.replaced}</Chip>}
            </span>
            {one.note && <NoteText>{one.note}</NoteText>}
            <small>
              {provenance(one)}
              {one.source === "review" && one.job_id !== null && (
                <>
                  {" · "}
                  <Link to={`/projects/${project.id}/jobs/${one.job_id}`}>
                    {text.by.job(one.job_id)}
                  </Link>
                </>
              )}
              {one.lot && (
                <>
                  {" · "}
                  <Link to={`/projects/${project.id}/certificates/${one.lot.certificate_id}`}>
                    {text.by.guarantee(
                      one.lot.certificate_id,
                      one.lot.bound === null ? null : highOf(one.lot.bound),
                    )}
                  </Link>
                </>
              )}
            </small>
          </li>
        );
      })}
    </ol>
  );
}

/** Nobody skips in a review: there it stands for a decision that was taken back. */
const verdictOf = ({ source, verdict }: ExampleAnnotation, project: Project): string =>
  source === "review" && verdict === "skip" ? text.takenBack : verdictNames(project)[verdict];

function saidBy({ source, source_name, annotator, probability }: ExampleAnnotation): string {
  switch (source) {
    case "import":
      return text.by.import(source_name ?? "");
    case "review":
      return text.by.review(annotator ?? "");
    case "model":
      return text.by.model(probability === null ? null : formatChance(probability, 1));
    default:
      return annotator ?? "";
  }
}

function provenance(one: ExampleAnnotation): string {
  const parts = [saidBy(one)];
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
