import { type ReactNode, useEffect, useRef } from "react";

/**
 * What answers something that may have been done far away on the page: it comes into view.
 *
 * With every new value of `of`; not while that is null.
 */
export function InView({ of, children }: { of: object | null; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In the middle: bars lie over the page above and below.
    if (of) frame.current?.scrollIntoView?.({ block: "center" });
  }, [of]);
  return <div ref={frame}>{children}</div>;
}
