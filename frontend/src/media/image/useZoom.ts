import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isElsewhere } from "../../ui/hotkeys";
import { useKeyDown } from "../../ui/useKeyDown";
import { bounded, HOME, mostOf, STEP, type View, zoomed } from "./zoom";

const PAN = 80;
const PANS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};

export type Zoom = { scale: number; by: (factor: number) => void; reset: () => void };

/** Wheel, pinch, drag and keys on one image; a new one (or one of another `key`) is shown whole. */
export function useZoom(
  frame: RefObject<HTMLDivElement | null>,
  image: HTMLImageElement | null,
  key: number,
): Zoom {
  const view = useRef<View>(HOME);
  const [scale, setScale] = useState(1);

  const show = useCallback(
    (wanted: View) => {
      const parent = frame.current;
      if (!parent || !image) return;
      const drawn = { width: image.offsetWidth, height: image.offsetHeight };
      const next = bounded(wanted, drawn, {
        width: parent.clientWidth,
        height: parent.clientHeight,
      });
      view.current = next;
      image.style.transform =
        next.scale === 1 ? "" : `translate(${next.x}px, ${next.y}px) scale(${next.scale})`;
      setScale(next.scale);
    },
    [frame, image],
  );
  const about = useCallback(
    (factor: number, x: number, y: number) => {
      const parent = frame.current;
      if (!parent || !image) return;
      const box = parent.getBoundingClientRect();
      const point = { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 };
      const natural = { width: image.naturalWidth, height: image.naturalHeight };
      const most = mostOf(natural, { width: image.offsetWidth, height: image.offsetHeight });
      show(zoomed(view.current, factor, point, most));
    },
    [frame, image, show],
  );
  const by = useCallback(
    (factor: number) => {
      const box = frame.current?.getBoundingClientRect();
      if (box) about(factor, box.left + box.width / 2, box.top + box.height / 2);
    },
    [about, frame],
  );
  const reset = useCallback(() => show(HOME), [show]);
  const pan = useCallback(
    (x: number, y: number) =>
      show({ ...view.current, x: view.current.x + x, y: view.current.y + y }),
    [show],
  );

  // Before the first paint of the image, so that it is never seen enlarged as the one before was.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says that another image is shown.
  useLayoutEffect(() => {
    view.current = HOME;
    if (image) image.style.transform = "";
    setScale(1);
  }, [image, key]);

  useGestures(frame, view, about, pan);
  useZoomKeys(view, by, pan, reset);
  return { scale, by, reset };
}

type About = (factor: number, x: number, y: number) => void;
type Pan = (x: number, y: number) => void;

function useGestures(
  frame: RefObject<HTMLDivElement | null>,
  view: RefObject<View>,
  about: About,
  pan: Pan,
): void {
  useEffect(() => {
    const parent = frame.current;
    if (!parent) return;
    const fingers = new Map<number, { x: number; y: number }>();
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      // A pinch on a touchpad comes as a wheel with the control key, in small steps.
      const speed = event.ctrlKey ? 0.01 : 0.0015;
      about(Math.exp(-event.deltaY * lines * speed), event.clientX, event.clientY);
    };
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return;
      parent.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    const onMove = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      fingers.set(event.pointerId, now);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (point: typeof now) => Math.hypot(point.x - other.x, point.y - other.y);
        const factor = apart(now) / Math.max(1, apart(before));
        about(factor, (now.x + other.x) / 2, (now.y + other.y) / 2);
      } else if (view.current.scale > 1) {
        pan(now.x - before.x, now.y - before.y);
      }
    };
    const onUp = (event: PointerEvent) => fingers.delete(event.pointerId);
    parent.addEventListener("wheel", onWheel, { passive: false });
    parent.addEventListener("pointerdown", onDown);
    parent.addEventListener("pointermove", onMove);
    parent.addEventListener("pointerup", onUp);
    parent.addEventListener("pointercancel", onUp);
    return () => {
      parent.removeEventListener("wheel", onWheel);
      parent.removeEventListener("pointerdown", onDown);
      parent.removeEventListener("pointermove", onMove);
      parent.removeEventListener("pointerup", onUp);
      parent.removeEventListener("pointercancel", onUp);
    };
  }, [frame, view, about, pan]);
}

/** Plus and minus enlarge, Escape shows the whole, and arrows with shift move an enlarged image. */
function useZoomKeys(
  view: RefObject<View>,
  by: (factor: number) => void,
  pan: Pan,
  reset: () => void,
): void {
  // Before the page's own keys: arrows without an enlarged image are theirs.
  useKeyDown(
    (event) => {
      // In the row of digits some layouts have signs that are classes' keys here.
      if (isElsewhere(event) || event.defaultPrevented || /^Digit/.test(event.code)) return;
      const enlarged = view.current.scale > 1;
      const move = event.shiftKey ? PANS[event.key] : undefined;
      if (event.key === "+" || event.key === "=") by(STEP);
      else if (event.key === "-") by(1 / STEP);
      else if (event.key === "Escape" && enlarged) reset();
      else if (move && enlarged) pan(...move);
      else return;
      event.preventDefault();
    },
    { capture: true },
  );
}
