import { type MouseEvent, type PointerEvent, useRef } from "react";

/** For what lies over a page: a click beside its content, but not what is selected from within to there, which ends in one. */
export function useBeside(onBeside?: () => void) {
  const pressed = useRef<EventTarget>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      pressed.current = event.target;
    },
    onClick: ({ target, currentTarget }: MouseEvent) => {
      if (target === currentTarget && pressed.current === currentTarget) onBeside?.();
    },
  };
}
