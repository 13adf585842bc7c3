import { useCallback, useLayoutEffect, useRef } from "react";

type Shown<Value> = { value: Value; since: number };

/** How many values before the present one are kept; a frame lasts some milliseconds. */
const KEPT = 3;

/**
 * Tells what `value` was on screen at a time, as events state it (`timeStamp`).
 *
 * A key is about what was painted when it was pressed. What React has put in place since is not seen
 * before the next frame.
 */
export function usePainted<Value>(value: Value): (at: number) => Value {
  const shown = useRef<Shown<Value>[]>([{ value, since: 0 }]);
  useLayoutEffect(() => {
    if (shown.current.at(-1)?.value === value) return;
    const next = { value, since: Number.POSITIVE_INFINITY };
    shown.current = [...shown.current.slice(-KEPT), next];
    requestAnimationFrame(() => {
      next.since = performance.now();
    });
  }, [value]);
  return useCallback((at) => {
    const painted = shown.current.filter(({ since }) => since <= at).at(-1);
    return (painted ?? (shown.current[0] as Shown<Value>)).value;
  }, []);
}
