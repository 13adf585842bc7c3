import { useState } from "react";
import { Link } from "react-router";
import type { SelectedRow } from "../../../api/selections";
import { t } from "../../../strings";
import { Row } from "../../../tasks/instructions/Row";
import styles from "./Selection.module.css";

type SelectedItemProps = { projectId: number; row: SelectedRow };

/** One row with what became of it; all of it is shown when it is asked for. */
export function SelectedItem({ projectId, row }: SelectedItemProps) {
  const [isOpen, setOpen] = useState(false);
  const text = t.selection;
  const { fields, kept, reason, rank, score, example_id: id, name } = row;
  const begins = fields
    ? [fields.instruction, fields.input].filter(Boolean).join(" · ").slice(0, 240)
    : name;
  const notes = [text.why[reason] ?? reason, score !== null && text.score(score.toFixed(1))].filter(
    Boolean,
  );
  return (
    <li className={styles.member} data-kept={kept || undefined}>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles.rank}>{rank ?? "–"}</span>
          <span className={styles.begins} dir="auto">
            <strong>{begins}</strong>
            {!isOpen && <span>{fields?.responses[0]?.slice(0, 200)}</span>}
          </span>
          <span className={styles.fate} data-kept={kept || undefined}>
            {kept ? text.keptRow : text.droppedRow}
          </span>
        </summary>
        {isOpen && fields && <Row fields={fields} />}
      </details>
      <p className={styles.quiet}>
        {notes.join(" · ")} ·{" "}
        <Link to={`/projects/${projectId}/pool?image=${id}&split=all`}>{text.inPool}</Link>
      </p>
    </li>
  );
}
