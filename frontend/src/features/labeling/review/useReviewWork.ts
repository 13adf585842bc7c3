import { useMemo } from "react";
import type { Project, Suggestion } from "../../../api/types";
import { againstEachOther, plainly } from "../../../tasks/boxes/compare";
import { LABELED, labelFrom, type Choice as Said } from "../../../tasks/choice";
import type { TaskView, Work } from "../../../tasks/spec";
import type { Choice } from "./choices";

type Reviewed = {
  project: Project;
  userId: number;
  task: TaskView;
  current: Suggestion | null;
  decide: (choice: Choice) => void;
};

/**
 * What a reviewer makes of two labels that differ, where neither need be right as it is.
 *
 * Of boxes the one is on the stage, and what the other has besides stands there to be taken over. An order begins anew.
 * What is sent from there is neither of the two.
 */
export function useReviewWork({ project, userId, task, current, decide }: Reviewed): Work {
  const id = current?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is reviewed stays as it is.
  const shown = useMemo(() => {
    if (!current || id === undefined) return null;
    const { given_label, suggested_label, decided_label } = current;
    const begins = labelFrom(decided_label ?? (task.keepsGiven ? given_label : null));
    const given: Said = { verdict: LABELED, classId: null, ...plainly(begins) };
    const proposals = againstEachOther(given.label, suggested_label);
    return { subject: { ...current, query_id: id, proposals }, given };
  }, [id]);
  return task.useWork({
    projectId: project.id,
    userId,
    classes: project.classes,
    current: shown,
    desk: "review",
    answer: ({ label }) => {
      const plain = plainly({ label: label ?? null }).label ?? null;
      decide({ decision: "other", classId: null, label: plain });
    },
  });
}
