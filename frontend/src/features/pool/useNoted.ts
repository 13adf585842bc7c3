import type { ExampleAnnotation, ExampleDetail } from "../../api/types";
import type { Choice } from "../../tasks/choice";
import { draftName, keepNote, noteToSend, readNote } from "../../tasks/drafts";
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
  const say = async (choice: Choice) => {
    const written = name && readNote(name);
    const taken = await verdicts.say(example, choice, name && noteToSend(name, mine?.note));
    // What was written since is of the next one.
    if (taken && name && readNote(name) === written) keepNote(name, null);
    return taken;
  };
  return { mine, note, say };
}

const isBy = (one: ExampleAnnotation, user: number | undefined): boolean =>
  one.holds &&
  one.source === "review" &&
  one.annotator_id === user &&
  one.job_id === null &&
  one.verdict !== "skip";
