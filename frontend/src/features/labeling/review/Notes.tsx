import type { Project, Suggestion } from "../../../api/types";
import { Note } from "../../../tasks/Note";
import { NoteList } from "../../../tasks/NoteList";
import type { NoteDraft } from "../../../tasks/useNote";

type NotesProps = { project: Project; current: Suggestion | null; note: NoteDraft };

/** What others wrote beside their verdicts, and what goes with the decision. */
export function Notes({ project, current, note }: NotesProps) {
  return (
    <>
      <NoteList project={project} notes={current?.notes ?? []} />
      <Note note={note} disabled={!current} />
    </>
  );
}
