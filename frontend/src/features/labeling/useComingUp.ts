import { useCallback, useEffect, useState } from "react";
import type { Prepared } from "../../media/spec";

/** What is known of examples that stand side by side, by id; of others nothing is known yet. */
export type States = ReadonlyMap<number, Prepared["state"]>;

export type OnState = (id: number, state: Prepared["state"]) => void;

/**
 * Whether one of many examples on a page has come up. One that has not is asked for again by `retry`,
 * and once there is a network.
 *
 * @param onState Told of each change; always the same function.
 * @returns `attempt` as the key of what shows it, and `report` as its `onState`.
 */
export function useComingUp(id: number, onState: OnState) {
  const [state, setState] = useState<Prepared["state"]>("loading");
  const [attempt, setAttempt] = useState(0);
  const report = useCallback(
    (now: Prepared["state"]) => {
      setState(now);
      onState(id, now);
    },
    [id, onState],
  );
  const failed = state === "failed";
  const retry = useCallback(() => {
    if (!failed) return;
    report("loading");
    setAttempt((now) => now + 1);
  }, [failed, report]);
  useEffect(() => {
    window.addEventListener("online", retry);
    return () => window.removeEventListener("online", retry);
  }, [retry]);
  return { state, attempt, report, retry };
}
