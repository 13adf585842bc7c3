import { useMutation, useQueryClient } from "@tanstack/react-query";
import { exampleQuery, judgeExamples, poolQueries, undoing } from "../../api/pool";
import type { Example, Judged, Project, Selection } from "../../api/types";
import { afterwards, judged } from "../../tasks/byHand";
import type { Choice } from "../../tasks/choice";
import { useChanged } from "./useChanged";

/** What is said of images; with what was said before, that alone is taken back. */
export type Saying = {
  of: Selection;
  choice: Choice;
  undoes?: Judged;
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
export function useJudge(project: Project, { onSaid, onFault }: Told = {}) {
  const client = useQueryClient();
  const tell = useChanged(project.id);
  return useMutation({
    scope: { id: `judge ${project.id}` },
    mutationFn: ({ of, choice, undoes }: Saying) =>
      judgeExamples(project.id, undoes ? undoing(undoes) : { ...of, ...judged(choice) }),
    onSuccess: async (changed, saying) => {
      const { choice } = saying;
      const ids = changed.example_ids;
      const [first] = ids;
      onSaid?.(changed, saying);
      if (choice.verdict !== TAKE_BACK.verdict) {
        tell(ids, (one) => ({ ...one, ...afterwards(choice, project.classes) }));
      } else if (first !== undefined && ids.length === 1) {
        // What others have said of it counts again: the server knows that.
        const query = { ...exampleQuery(project.id, first), staleTime: 0 };
        const now = await client.fetchQuery(query).catch(() => null);
        tell(ids, now ? (one) => ({ ...one, ...shownOf(now) }) : undefined);
      } else {
        void client.invalidateQueries({ queryKey: [...poolQueries.all(project.id), "examples"] });
        tell(ids);
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
