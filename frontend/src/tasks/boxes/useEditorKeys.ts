import { type RefObject, useEffect, useRef } from "react";
import type { LabelClass } from "../../api/types";
import { isControl, isElsewhere } from "../../ui/hotkeys";
import { shortcutsAreOn } from "../../ui/shortcuts";
import { useKeyDown } from "../../ui/useKeyDown";
import * as commands from "./commands";
import * as copies from "./copies";
import type { BoxEditor } from "./editor";
import type { Gestures } from "./gestures";
import { type Action, actionFor } from "./keys";
import type { Scene } from "./scene";
import * as suggestions from "./suggestions";

type Parts = {
  editor: BoxEditor;
  scene: Scene;
  gestures: RefObject<Gestures | null>;
  classes: readonly LabelClass[];
  /** What the boxes are drawn on, which has the focus while they are worked at. */
  frame: RefObject<HTMLDivElement | null>;
  /** Whether something lies over it, which has the keys meanwhile. */
  covered: boolean;
};

/** The keys of the boxes; those that they do not want go on to the page. */
export function useEditorKeys({ editor, scene, gestures, classes, frame, covered }: Parts): void {
  const hiding = useRef("");
  const presses = useRef(0);
  const left = useRef(false);
  // Before the page's own: arrows are the chosen box's.
  useKeyDown(
    (event) => {
      if (event.defaultPrevented || isOthers(event, frame.current, left.current)) return;
      const { chosen } = editor.getView();
      const action = actionFor(event, { classes, chosen, isEnlarged: scene.isEnlarged });
      if (!action || !mayRepeat(action, event.repeat)) return;
      if (!event.repeat) presses.current += 1;
      if (action.do === "hide") hiding.current = event.code;
      if (!DURING_DRAG.has(action.do)) gestures.current?.finish();
      const hands = { editor, scene, gestures: gestures.current, frame: frame.current };
      if (obey(action, { ...hands, left, presses: presses.current })) event.preventDefault();
    },
    { capture: true, off: covered },
  );
  useEffect(() => {
    if (covered) return;
    const onUp = (event: KeyboardEvent) => {
      if (event.code === hiding.current) commands.hide(editor, false);
    };
    const show = () => commands.hide(editor, false);
    window.addEventListener("keyup", onUp);
    window.addEventListener("blur", show);
    return () => {
      window.removeEventListener("keyup", onUp);
      window.removeEventListener("blur", show);
    };
  }, [editor, covered]);
}

/** Whether a key press belongs to a field, a dialog, a button, or the way through the page. */
function isOthers(event: KeyboardEvent, frame: HTMLElement | null, left: boolean): boolean {
  const plain = { ctrlKey: false, metaKey: false, altKey: false };
  const { key, target } = event;
  if (isElsewhere({ ...plain, key, target } as KeyboardEvent)) return true;
  if (!shortcutsAreOn() && (event.ctrlKey || event.metaKey)) return true;
  const element = target as Element;
  if (["Enter", " "].includes(key)) return isControl(target);
  // Tab goes through the boxes from the stage, or from the page itself as long as they were not left; among
  // buttons it is as everywhere.
  const isAtBoxes = frame?.contains(element) || (element === document.body && !left);
  return key === "Tab" && !isAtBoxes;
}

const REPEATED: ReadonlySet<Action["do"]> = new Set([
  ...(["nudge", "pan", "cycle", "zoom", "threshold", "undo", "redo", "hide"] as const),
]);

/** What leaves a drag under way: how the image is seen, and the class of what is under the hand. */
const DURING_DRAG: ReadonlySet<Action["do"]> = new Set([
  ...(["escape", "hide", "pan", "zoom", "whole", "crosshair", "arm"] as const),
]);

const mayRepeat = (action: Action, isRepeat: boolean): boolean =>
  !isRepeat || REPEATED.has(action.do);

type Hands = {
  editor: BoxEditor;
  scene: Scene;
  gestures: Gestures | null;
  frame: HTMLDivElement | null;
  /** Whether Escape has left the boxes, so that Tab goes through the page. */
  left: RefObject<boolean>;
  /** How many keys were pressed: one that is held down is one step to take back. */
  presses: number;
};

/** Returns whether the key was for the boxes. */
function obey(action: Action, hands: Hands): boolean {
  const { editor, scene, frame, left, presses } = hands;
  if (action.do !== "escape") left.current = false;
  switch (action.do) {
    case "arm":
      commands.arm(editor, action.classId);
      return true;
    case "nudge":
      return commands.nudge(editor, action.by, action.pulls, `nudge ${presses}`);
    case "pan":
      scene.pan(action.by);
      return true;
    case "zoom":
      scene.zoom(action.factor);
      return true;
    case "cycle":
      return cycle(action.by, hands);
    case "flag":
      return commands.toggleFlag(editor, action.flag);
    case "threshold":
      if (editor.proposals.length === 0) return false;
      suggestions.setThreshold(editor, editor.getView().threshold + action.by);
      return true;
    case "escape":
      return stepBack(hands);
    case "submit":
      return submit(editor);
    case "attributes":
      return commands.askAttributes(editor, true);
    case "whole":
      scene.whole();
      return true;
    case "draw":
      if (commands.draw(editor, scene.middle())) frame?.focus({ preventScroll: true });
      return true;
    default:
      return obeySimple(action.do, editor);
  }
}

type Simple = Exclude<
  Action["do"],
  | ("arm" | "nudge" | "pan" | "zoom" | "cycle" | "flag" | "threshold" | "escape" | "submit")
  | ("whole" | "draw" | "attributes")
>;

const SIMPLE: Readonly<Record<Simple, (editor: BoxEditor) => unknown>> = {
  undo: (editor) => editor.undo(),
  redo: (editor) => editor.redo(),
  copy: copies.copy,
  paste: copies.paste,
  duplicate: copies.duplicate,
  remove: commands.remove,
  repeat: copies.repeatLast,
  clip: copies.clip,
  tool: commands.toggleTool,
  crosshair: commands.toggleCrosshair,
  // One that was dragged when the key came is kept by that, and the next is left to choose.
  keep: (editor) =>
    suggestions.keep(editor, true) || commands.choose(editor, suggestions.nextOpen(editor, -1)),
  keepAll: suggestions.keepAll,
  keepAllAndSubmit: (editor) => suggestions.submit(editor, true),
  none: suggestions.submitNone,
  hide: (editor) => commands.hide(editor, true),
};

function obeySimple(what: Simple, editor: BoxEditor): boolean {
  SIMPLE[what](editor);
  // What text is selected on the page is copied by the browser.
  return what !== "copy";
}

/** What was sent and not changed since is left as it is by the page. */
function submit(editor: BoxEditor): boolean {
  if (editor.given && !editor.isChanged) return false;
  suggestions.submit(editor);
  return true;
}

function cycle(by: 1 | -1, { editor, scene, frame }: Hands): boolean {
  const rect = commands.cycle(editor, by);
  if (!rect) return false;
  scene.close(rect);
  frame?.focus({ preventScroll: true });
  return true;
}

/** One thing after the other: a drag, what is chosen, the class in hand, the enlarged image, the focus. */
function stepBack({ editor, scene, gestures, frame, left }: Hands): boolean {
  const { chosen, armed } = editor.getView();
  if (gestures?.isBusy) gestures.cancel();
  else if (chosen) commands.choose(editor, null);
  else if (scene.isEnlarged) scene.whole();
  else if (armed !== null) commands.toggleTool(editor);
  else {
    left.current = true;
    if (!frame?.contains(document.activeElement)) return false;
    frame.blur();
  }
  return true;
}
