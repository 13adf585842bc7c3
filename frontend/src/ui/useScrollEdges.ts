import { type RefObject, useEffect, useState } from "react";

type Axis = "x" | "y";

/** Rounding of the browser's. */
const SLACK = { x: 1, y: 2 };

export type ScrollEdges = { before: boolean; after: boolean };

function edgesOf(element: HTMLElement, axis: Axis): ScrollEdges {
  const [start, whole, view] =
    axis === "x"
      ? [element.scrollLeft, element.scrollWidth, element.clientWidth]
      : [element.scrollTop, element.scrollHeight, element.clientHeight];
  return { before: start > SLACK[axis], after: start + view < whole - SLACK[axis] };
}

/**
 * On which sides of an element that scrolls there is more of it, kept current.
 *
 * `of` is what it holds, where that changes while it stays.
 */
export function useScrollEdges(
  ref: RefObject<HTMLElement | null>,
  axis: Axis = "x",
  of?: unknown,
): ScrollEdges {
  const [edges, setEdges] = useState<ScrollEdges>({ before: false, after: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content may be longer.
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const next = edgesOf(element, axis);
      setEdges((now) => (now.before === next.before && now.after === next.after ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (const watched of [element, ...element.children]) observer.observe(watched);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [ref, axis, of]);
  return edges;
}
