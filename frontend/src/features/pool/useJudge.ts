import { useMutation, useQueryClient } from "@tanstack/react-query";
import { exampleQuery, judgeExamples, poolQueries } from "../../api/pool";
import type { Example, Judged, Project, Selection } from "../../api/types";
import { afterwards, judged } from "../../tasks/byHand";
import type { Choice } from "../../tasks/choice";
import { showChanged, useChanged } from "./useChanged";

/** Of each image the call by which the user has said something of it last in this visit, alone or with others. */
export type LastCalls = Map<number, string>;

/** What is said of images. */
export type Saying = {
  of: Selection;
  choice: Choice;
  /** What is written beside it. */
  note?: string | null;
  /** The call that alone is taken back, if any: what it is may not be known before it is its turn. */
  undoes?: (() => string | undefined) | undefined;
  /** Of one image: what it is called. */
  name?: string;
};

/** What takes back whatever the user has said by hand. */
export const TAKE_BACK: Choice = { verdict: "skip", classId: null };

type Told = {
  onSaid?: (changed: Judged, saying: Saying) => void;
  onFault?: (error: Error, saying: Saying) => void;
};

/** Gives verdicts by hand, one after the other in the order in which they were given. */
export function useJudge(project: Project, calls: LastCalls, { onSaid, onFault }: Told) {
  const client = useQueryClient();
  const tell = useChanged(project.id);
  return useMutation({
    scope: { id: `judge ${project.id}` },
    mutationFn: ({ of, choice, note, undoes }: Saying) => {
      const call = undoes?.();
      const more = { ...(note && { note }), ...(call && { undoes: call }) };
      return judgeExamples(project.id, { ...of, ...judged(choice), ...more });
    },
    onSuccess: async (changed, saying) => {
      const { choice } = saying;
      const ids = changed.example_ids;
      const [first] = ids;
      for (const id of ids) {
        if (choice === TAKE_BACK) calls.delete(id);
        else calls.set(id, changed.call);
      }
      onSaid?.(changed, saying);
      if (choice !== TAKE_BACK) {
        tell(ids, (one) => ({ ...one, ...afterwards(choice, project.classes) }));
        return;
      }
      tell(ids);
      if (ids.length > 1) {
        void client.invalidateQueries({ queryKey: [...poolQueries.all(project.id), "examples"] });
      } else if (first !== undefined) {
        // What others have said of it counts again: the server knows that, and is just being asked.
        const query = { ...exampleQuery(project.id, first), staleTime: 0 };
        const now = await client.fetchQuery(query).catch(() => null);
        if (!now) return;
        showChanged(client, project.id, new Set(ids), (one) => ({ ...one, ...shownOf(now) }));
      }
    },
    onError: (error, saying) => onFault?.(error, saying),
  });
}

const shownOf = ({ state, label, label_class_id, whole_label }: Example) => ({
  state,
  label,
  label_class_id,
  whole_label,
});
