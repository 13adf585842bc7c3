import { type PointerEvent, useRef } from "react";

const LONG_MS = 450;
const STILL_PX = 10;

/** Tells a finger that stays on something from a tap. */
export function useLongPress(onLong: (target: EventTarget) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const start = useRef({ x: 0, y: 0 });
  const fired = useRef(false);
  const stop = () => clearTimeout(timer.current);
  return {
    /** Whether the press that ends now was a long one. */
    happened: () => fired.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        fired.current = false;
        if (event.pointerType !== "touch") return;
        const { target } = event;
        start.current = { x: event.clientX, y: event.clientY };
        timer.current = setTimeout(() => {
          fired.current = true;
          onLong(target);
        }, LONG_MS);
      },
      onPointerMove: (event: PointerEvent) => {
        const { x, y } = start.current;
        if (Math.hypot(event.clientX - x, event.clientY - y) > STILL_PX) stop();
      },
      onPointerUp: stop,
      onPointerCancel: stop,
      onContextMenu: (event: { preventDefault: () => void }) => {
        if (fired.current) event.preventDefault();
      },
    },
  };
}
