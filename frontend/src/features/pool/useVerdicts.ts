import { useState } from "react";
import type { ExampleDetail, Project } from "../../api/types";
import type { Choice } from "../../tasks/choice";
import { type LastCalls, type Saying, TAKE_BACK, useJudge } from "./useJudge";

type Shown = Pick<ExampleDetail, "id" | "name">;
type Said = { id: number; choice: Choice };

/** A verdict that was not taken: of which image, and why. */
export type Fault = Shown & ({ error: Error } | { reason: string });

/** Verdicts on the image that is shown large, one after the other. */
export type Verdicts = {
  /** Returns whether it was taken. */
  say: (image: Shown, choice: Choice, note: string | null) => Promise<boolean>;
  /** Take back what the user has said of it; what was said here last alone, if anything was. */
  takeBack: (image: Shown) => void;
  /** Whether something that was said of it here stands, or soon will; null where nothing was. */
  hasSaid: (id: number) => boolean | null;
  /** What is on its way. */
  sending: Said | null;
  /** What was taken last. */
  said: Said | null;
  /** What was not, also of images that were left since. */
  faults: Fault[];
  dismiss: (id: number) => void;
};

export function useVerdicts(project: Project, calls: LastCalls): Verdicts {
  const [sent, setSent] = useState<Said[]>([]);
  const [said, setSaid] = useState<Said | null>(null);
  const [faults, setFaults] = useState<Fault[]>([]);
  const without = (id: number) => (before: Fault[]) => before.filter((one) => one.id !== id);
  const fail = (fault: Fault) => setFaults((before) => [...without(fault.id)(before), fault]);
  const judge = useJudge(project, calls, {
    onSaid: (changed, { of, choice, name = "" }) => {
      const id = of.ids?.[0] ?? 0;
      const [reason = "unknown"] = Object.keys(changed.left_out);
      // Said anew elsewhere: the next time all of it is taken back.
      if (reason === "not_judged") calls.delete(id);
      if (!changed.example_ids.includes(id)) return fail({ id, name, reason });
      setSaid({ id, choice });
      setFaults(without(id));
    },
    onFault: (error, { of, name = "" }) => fail({ id: of.ids?.[0] ?? 0, name, error }),
  });
  const send = ({ id, name }: Shown, choice: Choice, more: Pick<Saying, "note" | "undoes">) => {
    const one = { id, choice };
    // The mutation tells a moment later, and of what was sent last alone.
    setSent((before) => [...before, one]);
    return judge
      .mutateAsync({ of: { ids: [id] }, choice, name, ...more })
      .then(
        ({ example_ids }) => example_ids.length > 0,
        () => false,
      )
      .finally(() => setSent((before) => before.filter((other) => other !== one)));
  };
  return {
    say: (image, choice, note) => send(image, choice, { note }),
    takeBack: (image) => void send(image, TAKE_BACK, { undoes: () => calls.get(image.id) }),
    hasSaid: (id) => {
      const last = sent.filter((one) => one.id === id).at(-1);
      return last ? last.choice !== TAKE_BACK : calls.has(id) || null;
    },
    sending: sent.at(-1) ?? null,
    said,
    faults,
    dismiss: (id) => setFaults(without(id)),
  };
}
