import { type RefObject, useEffect, useRef, useState } from "react";

type Point = { x: number; y: number };
export type Band = { left: number; top: number; width: number; height: number };

/** A press that moves less is a click. */
const THRESHOLD = 6;

type Handlers = { onBand: (ids: number[]) => void; onEnd: () => void };

/** Lets the mouse draw a box in a scrolling element; reports the tiles that it touches. */
export function useRubberBand(
  area: RefObject<HTMLElement | null>,
  handlers: Handlers,
): Band | null {
  const [band, setBand] = useState<Band | null>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    let start: Point | null = null;
    let drawing = false;
    const onDown = (event: PointerEvent) => {
      const onControl = (event.target as Element).closest("button, a, input, label, summary");
      if (event.button !== 0 || event.pointerType === "touch" || onControl) return;
      start = inside(element, event);
    };
    const onMove = (event: PointerEvent) => {
      if (!start) return;
      const now = inside(element, event);
      if (!drawing && Math.hypot(now.x - start.x, now.y - start.y) < THRESHOLD) return;
      drawing = true;
      // Otherwise the browser would select text, or drag the picture.
      event.preventDefault();
      getSelection()?.removeAllRanges();
      const box = between(start, now);
      setBand(box);
      latest.current.onBand(touched(element, box));
    };
    const onUp = () => {
      start = null;
      if (!drawing) return;
      drawing = false;
      setBand(null);
      latest.current.onEnd();
      // The click that ends a band chooses nothing.
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
    };
    element.addEventListener("pointerdown", onDown);
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onUp);
    return () => {
      element.removeEventListener("pointerdown", onDown);
      window.removeEventListener("pointermove", onMove);
      window.removeEventListener("pointerup", onUp);
      window.removeEventListener("pointercancel", onUp);
    };
  }, [area]);
  return band;
}

const swallow = (event: MouseEvent) => event.stopPropagation();

/** Where the pointer is in what the element shows, scrolled or not. */
function inside(element: HTMLElement, { clientX, clientY }: PointerEvent): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left + element.scrollLeft, y: clientY - top + element.scrollTop };
}

const between = (a: Point, b: Point): Band => ({
  left: Math.min(a.x, b.x),
  top: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

function touched(element: HTMLElement, box: Band): number[] {
  const origin = element.getBoundingClientRect();
  const left = origin.left - element.scrollLeft + box.left;
  const top = origin.top - element.scrollTop + box.top;
  const tiles = element.querySelectorAll<HTMLElement>("[data-tile]");
  return [...tiles].flatMap((tile) => {
    const place = tile.getBoundingClientRect();
    const apart =
      place.right < left ||
      place.left > left + box.width ||
      place.bottom < top ||
      place.top > top + box.height;
    return apart ? [] : [Number(tile.dataset.tile)];
  });
}
