import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Note } from "../../tasks/Note";
import { NoteText, saidWith } from "../../tasks/NoteList";
import type { TaskView, Work } from "../../tasks/spec";
import type { NoteDraft } from "../../tasks/useNote";
import { BeforeHint } from "./BeforeHint";
import styles from "./LabelScreen.module.css";
import type { Entry, Given } from "./queue/model";

type BesideProps = {
  project: Project;
  task: TaskView;
  current: Entry | null;
  /** The verdict before, if there is one to go back to. */
  previous: Given | null;
  work: Work;
  note: NoteDraft;
};

/** What was said before, what a reviewer made of it, and the note that goes with the next verdict. */
export function Beside({ project, task, current, previous, work, note }: BesideProps) {
  const { classes } = project;
  const reviewed = current?.reviewerNote;
  return (
    <>
      <div className={styles.before}>
        <p className={styles.last} aria-live="polite">
          {current?.given
            ? t.label.before(task.describe(current.given, classes))
            : previous && t.label.last(task.describe(previous, classes))}
          {current?.given && <BeforeHint keys={t.label.beforeHint} work={work} />}
        </p>
        <Note note={note} disabled={!current} classes={classes} />
      </div>
      {reviewed && (
        <div className={styles.reviewer}>
          <p>{t.note.reviewer(saidWith(reviewed, project))}</p>
          <NoteText>{reviewed.note}</NoteText>
        </div>
      )}
    </>
  );
}
