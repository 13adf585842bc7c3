import { type RefObject, useEffect, useRef } from "react";
import { isElsewhere } from "../../ui/hotkeys";
import { isMotionReduced } from "../../ui/motion";

/** Lines that stay in sight when a page is turned, so that the eye finds its place. */
const KEPT = 2;
const LINES = 3;

/** How far a key moves a text down, of a window so high with lines so high; null: it does not. */
export function stepOf(
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  view: number,
  line: number,
): number | null {
  const page = Math.max(line, view - KEPT * line);
  switch (key) {
    case " ":
      return shiftKey ? -page : page;
    case "PageDown":
      return page;
    case "PageUp":
      return -page;
    case "ArrowDown":
      return LINES * line;
    case "ArrowUp":
      return -LINES * line;
    case "Home":
      return Number.NEGATIVE_INFINITY;
    case "End":
      return Number.POSITIVE_INFINITY;
    default:
      return null;
  }
}

/** Whether a key moves a text beside other things: one that has the focus, and more than there is room for. */
export function movesText({ key, target }: KeyboardEvent): boolean {
  if (key !== "ArrowDown" && key !== "ArrowUp") return false;
  const region = (target as Element).closest?.("[data-reads]");
  return Boolean(region && region.scrollHeight > region.clientHeight);
}

const controlOf = ({ target }: Event): Element | null =>
  (target as Element).closest?.("a, button, summary") ?? null;

/** Whether space is for the control that has the focus: not if it has it from a click, whose effect is past. */
function isForControl(event: KeyboardEvent, clicked: Element | null): boolean {
  const control = controlOf(event);
  return event.key === " " && control !== null && control !== clicked;
}

/**
 * Space, arrows up and down and the keys for pages read on, and mean nothing else meanwhile.
 *
 * While the text is covered they do not move it: whatever covers it has the keys.
 */
export function useScrollKeys(region: RefObject<HTMLElement | null>, covered = false): void {
  /** The control that has the focus from a click, and whether a space is down that is not for it. */
  const kept = useRef<{ clicked: Element | null; space: boolean }>({ clicked: null, space: false });
  useEffect(() => {
    const now = kept.current;
    const onPointer = (event: PointerEvent) => {
      now.clicked = controlOf(event);
    };
    const onFocus = (event: FocusEvent) => {
      if (controlOf(event) !== now.clicked) now.clicked = null;
    };
    const onKey = (event: KeyboardEvent) => {
      const element = region.current;
      const isSpace = event.key === " ";
      if (isSpace) now.space = covered;
      if (covered || !element || isElsewhere(event) || event.defaultPrevented) return;
      if (isForControl(event, now.clicked)) return;
      const line = Number.parseFloat(getComputedStyle(element).lineHeight) || 24;
      const step = stepOf(event, element.clientHeight, line);
      if (step === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (isSpace) now.space = true;
      const still = event.repeat || isMotionReduced();
      const most = element.scrollHeight - element.clientHeight;
      const top = Math.min(most, Math.max(0, element.scrollTop + step));
      element.scrollTo({ top, behavior: still ? "instant" : "smooth" });
    };
    // Some browsers press a button when space is let go, whatever became of its being pressed.
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key !== " " || !now.space) return;
      now.space = false;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("pointerdown", onPointer, { capture: true });
    window.addEventListener("focusin", onFocus, { capture: true });
    window.addEventListener("keyup", onKeyUp, { capture: true });
    // Before the page's own keys.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => {
      window.removeEventListener("pointerdown", onPointer, { capture: true });
      window.removeEventListener("focusin", onFocus, { capture: true });
      window.removeEventListener("keyup", onKeyUp, { capture: true });
      window.removeEventListener("keydown", onKey, { capture: true });
    };
  }, [region, covered]);
}
