import { useState } from "react";
import type { Job } from "../../api/types";
import { planOf } from "./plan";

type ShownPlan = {
  /** The one to show now, of those that are made; it stays until it is hidden. */
  shown: Job | undefined;
  /** Show a plan as soon as it is made. */
  show: (id: number) => void;
  hide: (id: number) => void;
};

/**
 * Which of several plans is asked about: one after the other, the first that is made first. The
 * next that comes is shown without being asked for if it `isExpected`; none opens while `isHeld`.
 */
export function useShownPlan(plans: Job[], isExpected = false, isHeld = false): ShownPlan {
  const [asked, setAsked] = useState<number[]>([]);
  const [current, setCurrent] = useState<number | null>(null);
  const [expects, setExpects] = useState(isExpected);
  const [next] = plans;
  if (expects && next) {
    setExpects(false);
    setAsked([...asked, next.id]);
  }
  const made = asked.flatMap((id) => plans.find((job) => job.id === id && planOf(job)) ?? []);
  // Another that is made meanwhile must not come under the hand of whoever answers this one.
  const shown = made.find((job) => job.id === current) ?? (isHeld ? undefined : made[0]);
  if (shown && shown.id !== current) setCurrent(shown.id);
  return {
    shown,
    show: (id) => setAsked((before) => [...before.filter((one) => one !== id), id]),
    hide: (id) => setAsked((before) => before.filter((one) => one !== id)),
  };
}
