import { useRef, useState } from "react";
import type { ExampleDetail, Judged, Project } from "../../api/types";
import type { Choice } from "../../tasks/choice";
import { TAKE_BACK, useJudge } from "./useJudge";

type Shown = Pick<ExampleDetail, "id" | "name">;

/** A verdict that was not taken: of which image, and why. */
export type Fault = Shown & ({ error: Error } | { reason: string });

/** Verdicts on the image that is shown large, one after the other. */
export type Verdicts = {
  /** Returns whether it was taken. */
  say: (image: Shown, choice: Choice) => Promise<boolean>;
  /** Take back what the user has said of it; what was said here last alone, if anything was. */
  takeBack: (image: Shown) => void;
  /** What is on its way. */
  sending: { id: number; choice: Choice } | null;
  /** What was taken last. */
  said: { id: number; choice: Choice } | null;
  /** What was not, also of images that were left since. */
  faults: Fault[];
  dismiss: (id: number) => void;
};

export function useVerdicts(project: Project): Verdicts {
  const given = useRef(new Map<number, Judged>());
  const [said, setSaid] = useState<Verdicts["said"]>(null);
  const [faults, setFaults] = useState<Fault[]>([]);
  const without = (id: number) => (before: Fault[]) => before.filter((one) => one.id !== id);
  const fail = (fault: Fault) => setFaults((before) => [...without(fault.id)(before), fault]);
  const judge = useJudge(project, {
    onSaid: (changed, { of, choice, name = "" }) => {
      const id = of.ids?.[0] ?? 0;
      const [reason = "unknown"] = Object.keys(changed.left_out);
      const isTaken = changed.example_ids.includes(id);
      if (choice === TAKE_BACK) given.current.delete(id);
      else if (isTaken) given.current.set(id, changed);
      if (!isTaken) return fail({ id, name, reason });
      setSaid({ id, choice });
      setFaults(without(id));
    },
    onFault: (error, { of, name = "" }) => fail({ id: of.ids?.[0] ?? 0, name, error }),
  });
  const send = ({ id, name }: Shown, choice: Choice, undoes?: Judged) =>
    judge.mutateAsync({ of: { ids: [id] }, choice, name, ...(undoes && { undoes }) }).then(
      ({ example_ids }) => example_ids.length > 0,
      () => false,
    );
  const { isPending, variables } = judge;
  return {
    say: send,
    takeBack: (image) => void send(image, TAKE_BACK, given.current.get(image.id)),
    sending:
      isPending && variables ? { id: variables.of.ids?.[0] ?? 0, choice: variables.choice } : null,
    said,
    faults,
    dismiss: (id) => setFaults(without(id)),
  };
}
