import { useEffect } from "react";
import type { ExampleAnnotation, ExampleDetail } from "../../api/types";
import type { Choice } from "../../tasks/choice";
import { draftName, keepNote, noteToSend } from "../../tasks/drafts";
import { type NoteDraft, useNote } from "../../tasks/useNote";
import type { Verdicts } from "./useVerdicts";

type Noted = {
  /** What the user has said of the image by hand, if it still counts. */
  mine: ExampleAnnotation | undefined;
  note: NoteDraft;
  /** Say what it is, with the note; returns whether it was taken. */
  say: (choice: Choice) => Promise<boolean>;
};

/** Verdicts on the image that is shown large, and the note that goes with the next one. */
export function useNoted(
  example: ExampleDetail,
  verdicts: Verdicts,
  userId: number | undefined,
): Noted {
  const mine = example.annotations.find((one) => isBy(one, userId));
  const name = userId === undefined ? null : draftName(userId, example.id, "pool");
  const note = useNote(name, mine?.note ?? null);
  const said = mine?.note ?? "";
  // Until it is known to stand there it goes with every verdict, however fast they come.
  useEffect(() => {
    if (name && note.isChanged && note.text.trim() === said) keepNote(name, null);
  }, [name, note.isChanged, note.text, said]);
  const say = (choice: Choice) =>
    verdicts.say(example, choice, name && noteToSend(name, mine?.note));
  return { mine, note, say };
}

const isBy = (one: ExampleAnnotation, user: number | undefined): boolean =>
  one.holds &&
  one.source === "review" &&
  one.annotator_id === user &&
  one.job_id === null &&
  one.verdict !== "skip";
