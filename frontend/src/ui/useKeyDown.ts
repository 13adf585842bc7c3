import { useLayoutEffect, useRef } from "react";

type Where = {
  /** Before what the page itself does with keys. */
  capture?: boolean;
  /** Whether keys are somebody else's for now. */
  off?: boolean;
};

/**
 * Listens to keys wherever the focus is.
 *
 * A key press belongs to what is on the screen: the listener changes with it, in the same frame.
 * One that changed after the paint would give a fast press to what was shown before.
 */
export function useKeyDown(
  onKey: (event: KeyboardEvent) => void,
  { capture = false, off = false }: Where = {},
): void {
  const latest = useRef(onKey);
  useLayoutEffect(() => {
    latest.current = onKey;
  });
  useLayoutEffect(() => {
    if (off) return;
    const listener = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener("keydown", listener, { capture });
    return () => window.removeEventListener("keydown", listener, { capture });
  }, [capture, off]);
}
