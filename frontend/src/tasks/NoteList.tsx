import type { Note, Project } from "../api/types";
import { t } from "../strings";
import { formatDateTime } from "../ui/format";
import styles from "./NoteList.module.css";
import { saidOf } from "./said";
import { verdictNames } from "./stateNames";

type Of = Pick<Project, "task" | "classes">;

/** What was said where a note was written, in a few words. */
export function saidWith({ verdict, class_id, label }: Note, project: Of): string {
  const named = project.classes.find((one) => one.id === class_id);
  return named?.name ?? saidOf(label) ?? verdictNames(project)[verdict];
}

type NoteListProps = { project: Of; notes: readonly Note[] };

/** What was written beside verdicts on what is shown, the oldest first. */
export function NoteList({ project, notes }: NoteListProps) {
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes} aria-label={t.note.written}>
      {notes.map((one) => (
        <li key={one.id}>
          <small title={formatDateTime(one.created_at)}>{saidWith(one, project)}</small>
          <NoteText>{one.note}</NoteText>
        </li>
      ))}
    </ul>
  );
}

/** A note as it was written. */
export function NoteText({ children }: { children: string }) {
  return (
    <p className={styles.text} dir="auto">
      {children}
    </p>
  );
}
