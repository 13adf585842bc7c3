import { useEffect, useMemo, useRef } from "react";
import { draftName } from "../drafts";
import type { WorkPlace } from "../spec";
import { BoxEditor } from "./editor";
import { memoryOf } from "./memory";

/** The editor of the image on the page; a new one with each image. */
export function useEditor(place: WorkPlace): BoxEditor | null {
  const { projectId, userId, classes, current, answer, desk = "label" } = place;
  const latest = useRef({ answer, classes, current });
  latest.current = { answer, classes, current };
  const queryId = current?.subject.query_id;
  const said = current?.given ?? null;
  const editor = useMemo(() => {
    const { subject } = latest.current.current ?? {};
    if (queryId === undefined || !subject) return null;
    return new BoxEditor({
      queryId,
      draft: draftName(userId, queryId, desk),
      image: { width: subject.width ?? 1, height: subject.height ?? 1 },
      classes: latest.current.classes,
      inReview: desk !== "label",
      proposals: subject.proposals ?? [],
      proposedBy: subject.proposed_by ?? null,
      given: said,
      memory: memoryOf(projectId, userId),
      send: (choice) => latest.current.answer(choice),
    });
  }, [projectId, userId, queryId, said, desk]);
  useEffect(() => editor?.setClasses(classes), [editor, classes]);
  useEffect(() => {
    if (!editor) return;
    const close = () => editor.close();
    window.addEventListener("pagehide", close);
    return () => {
      window.removeEventListener("pagehide", close);
      close();
    };
  }, [editor]);
  return editor;
}
