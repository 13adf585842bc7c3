import { type RefObject, useEffect, useState } from "react";

/** Rounding of the browser's. */
const SLACK = 1;

export type ScrollEdges = { before: boolean; after: boolean };

/** On which sides of an element that scrolls sideways there is more of it, kept current. */
export function useScrollEdges(ref: RefObject<HTMLElement | null>): ScrollEdges {
  const [edges, setEdges] = useState<ScrollEdges>({ before: false, after: false });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      const before = scrollLeft > SLACK;
      const after = scrollLeft + clientWidth < scrollWidth - SLACK;
      setEdges((now) => (now.before === before && now.after === after ? now : { before, after }));
    };
    const observer = new ResizeObserver(measure);
    for (const watched of [element, ...element.children]) observer.observe(watched);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [ref]);
  return edges;
}
