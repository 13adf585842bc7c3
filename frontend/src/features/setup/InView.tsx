import { type ReactNode, useEffect, useRef } from "react";

/** Room for the bars that lie over the page. */
const MARGIN = { scrollMarginBlock: "6rem" };

/**
 * What answers something that may have been done far away on the page: it comes into view.
 *
 * With every new value of `of`; not while that is null.
 */
export function InView({ of, children }: { of: object | null; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (of) frame.current?.scrollIntoView?.({ block: "nearest" });
  }, [of]);
  return (
    <div ref={frame} style={MARGIN}>
      {children}
    </div>
  );
}
