import { type ReactNode, useEffect, useRef } from "react";

/** What answers something that may have been done far away on the page: it comes into view. */
export function InView({ of, children }: { of: unknown; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another answer at the same place, too.
  useEffect(() => {
    frame.current?.scrollIntoView?.({ block: "center" });
  }, [of]);
  return <div ref={frame}>{children}</div>;
}
