import { type RefObject, useEffect, useRef } from "react";
import type { BoxEditor } from "./editor";
import type { Handle, Point } from "./geometry";
import { Gestures } from "./gestures";
import type { Scene } from "./scene";

const CURSORS: Readonly<Record<string, string>> = {
  "-1,-1": "nwse-resize",
  "1,1": "nwse-resize",
  "1,-1": "nesw-resize",
  "-1,1": "nesw-resize",
  "0,-1": "ns-resize",
  "0,1": "ns-resize",
  "-1,0": "ew-resize",
  "1,0": "ew-resize",
};

const cursorOf = (handle: Handle | "move"): string =>
  handle === "move" ? "move" : (CURSORS[`${handle.dx},${handle.dy}`] ?? "move");

/** Whether what is under the pointer is a control on the stage, which has its own clicks. */
const isControl = (event: Event): boolean =>
  (event.target as Element).closest("button, input, label, [data-control]") !== null;

/** Pointers, wheel and the held space bar on the frame. */
export function useGestures(
  frame: RefObject<HTMLDivElement | null>,
  editor: BoxEditor,
  scene: Scene,
): RefObject<Gestures | null> {
  const current = useRef<Gestures | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const gestures = new Gestures(editor, scene);
    current.current = gestures;
    let space = false;

    const at = (event: MouseEvent): Point => {
      const { left, top } = element.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const reachOf = (event: PointerEvent) => (event.pointerType === "touch" ? "touch" : "mouse");
    const onDown = (event: PointerEvent) => {
      if (isControl(event) || event.button > 2) return;
      event.preventDefault();
      element.focus({ preventScroll: true });
      element.setPointerCapture(event.pointerId);
      const pans = event.button !== 0 || space;
      gestures.down({ id: event.pointerId, at: at(event), reach: reachOf(event), pans });
      element.style.cursor = pans ? "grabbing" : element.style.cursor;
    };
    const onMove = (event: PointerEvent) => {
      const point = at(event);
      gestures.move(event.pointerId, point, event.altKey);
      if (event.pointerType === "touch") return;
      scene.pointer = point;
      if (event.buttons === 0) hover(point);
      scene.invalidate();
    };
    const hover = (point: Point) => {
      const handle = gestures.handleAt(point, "mouse");
      const { armed } = editor.getView();
      const found = handle ? null : (gestures.under(point, "mouse")[0]?.key ?? null);
      scene.hovered = armed === null ? found : null;
      const free = armed === null ? (found ? "pointer" : "grab") : "crosshair";
      element.style.cursor = space ? "grab" : handle ? cursorOf(handle) : free;
    };
    const onUp = (event: PointerEvent) => {
      gestures.up(event.pointerId, event.altKey);
      if (event.pointerType !== "touch") hover(at(event));
    };
    const onCancel = (event: PointerEvent) => {
      gestures.cancel();
      gestures.up(event.pointerId, true);
    };
    const onLeave = () => {
      scene.pointer = null;
      scene.hovered = null;
      scene.invalidate();
    };
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      // A pinch on a touchpad comes as a wheel with the control key, in small steps.
      const speed = event.ctrlKey ? 0.01 : 0.0015;
      if (event.shiftKey) scene.pan({ x: -(event.deltaX || event.deltaY) * lines, y: 0 });
      else scene.zoom(Math.exp(-event.deltaY * lines * speed), at(event));
    };
    const onSpace = (event: KeyboardEvent) => {
      if (event.key === " ")
        space = event.type === "keydown" && !(event.target as Element).closest("button, a, input");
    };
    const onMenu = (event: Event) => event.preventDefault();
    const listeners: [string, (event: never) => void][] = [
      ["pointerdown", onDown],
      ["pointermove", onMove],
      ["pointerup", onUp],
      ["pointercancel", onCancel],
      ["pointerleave", onLeave],
      ["contextmenu", onMenu],
    ];
    for (const [name, listener] of listeners)
      element.addEventListener(name, listener as EventListener);
    element.addEventListener("wheel", onWheel, { passive: false });
    window.addEventListener("keydown", onSpace);
    window.addEventListener("keyup", onSpace);
    return () => {
      for (const [name, listener] of listeners)
        element.removeEventListener(name, listener as EventListener);
      element.removeEventListener("wheel", onWheel);
      window.removeEventListener("keydown", onSpace);
      window.removeEventListener("keyup", onSpace);
      current.current = null;
    };
  }, [frame, editor, scene]);
  return current;
}
