import type { ReactNode } from "react";
import type { Project, Suggestion } from "../../../api/types";
import { Note } from "../../../tasks/Note";
import { NoteList } from "../../../tasks/NoteList";
import type { NoteDraft } from "../../../tasks/useNote";
import desk from "../LabelScreen.module.css";

type NotesProps = {
  project: Project;
  current: Suggestion | null;
  note: NoteDraft;
  /** What was decided before. */
  children: ReactNode;
};

/** What goes with the decision, and what others wrote beside their verdicts. */
export function Notes({ project, current, note, children }: NotesProps) {
  return (
    <>
      <div className={desk.before}>
        {children}
        <Note note={note} disabled={!current} classes={project.classes} />
      </div>
      <NoteList project={project} notes={current?.notes ?? []} />
    </>
  );
}
