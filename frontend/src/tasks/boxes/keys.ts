import type { LabelClass } from "../../api/types";
import { askedBy, FIXED_KEYS, keyOf } from "../../ui/hotkeys";
import { type Command, pageKeys } from "../command";
import type { Point } from "./geometry";
import type { Chosen, Flag } from "./model";

/** What a key asks of the boxes. Letters alone are classes', so that these go with Shift or Control. */
export type Action =
  | { do: "arm"; classId: number }
  | { do: "nudge"; by: Point; pulls: boolean }
  | { do: "pan"; by: Point }
  | { do: "cycle"; by: 1 | -1 }
  | { do: "flag"; flag: Flag }
  | { do: "threshold"; by: number }
  | { do: "zoom"; factor: number }
  | {
      do:
        | "undo"
        | "redo"
        | "copy"
        | "paste"
        | "duplicate"
        | "remove"
        | "repeat"
        | "clip"
        | "tool"
        | "crosshair"
        | "keep"
        | "keepAll"
        | "keepAllAndSubmit"
        | "submit"
        | "none"
        | "escape"
        | "whole"
        | "draw"
        | "attributes"
        | "hide";
    };

const ARROWS: Readonly<Record<string, Point>> = {
  arrowleft: { x: -1, y: 0 },
  arrowright: { x: 1, y: 0 },
  arrowup: { x: 0, y: -1 },
  arrowdown: { x: 0, y: 1 },
};
const FAR = 10;
const PAN = 80;
const ZOOM = 1.4;
const THRESHOLD_STEP = 0.05;

const WITH_SHIFT: Readonly<Record<string, Action>> = {
  o: { do: "flag", flag: "occluded" },
  t: { do: "flag", flag: "truncated" },
  d: { do: "flag", flag: "difficult" },
  c: { do: "flag", flag: "crowd" },
  a: { do: "attributes" },
  r: { do: "repeat" },
  n: { do: "none" },
  b: { do: "draw" },
  k: { do: "keepAll" },
  e: { do: "clip" },
  v: { do: "tool" },
  x: { do: "crosshair" },
  z: { do: "redo" },
  enter: { do: "keepAllAndSubmit" },
};

const WITH_CONTROL: Readonly<Record<string, Action>> = {
  z: { do: "undo" },
  y: { do: "redo" },
  c: { do: "copy" },
  v: { do: "paste" },
  d: { do: "duplicate" },
  enter: { do: "submit" },
};

const ALONE: Readonly<Record<string, Action>> = {
  delete: { do: "remove" },
  backspace: { do: "remove" },
  enter: { do: "submit" },
  escape: { do: "escape" },
  home: { do: "whole" },
  "+": { do: "zoom", factor: ZOOM },
  "=": { do: "zoom", factor: ZOOM },
  "-": { do: "zoom", factor: 1 / ZOOM },
};

const SIGNS: Readonly<Record<string, Action>> = {
  "`": { do: "hide" },
  "[": { do: "threshold", by: -THRESHOLD_STEP },
  "]": { do: "threshold", by: THRESHOLD_STEP },
};

/** Where those signs are on most keyboards, for countries that have others there. */
const PLACES: Readonly<Record<string, string>> = {
  Backquote: "`",
  BracketLeft: "[",
  BracketRight: "]",
};

type Press = Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey"> &
  Partial<Pick<KeyboardEvent, "getModifierState">>;

type Now = {
  classes: readonly LabelClass[];
  chosen: Chosen | null;
  isEnlarged: boolean;
};

/** What a key press asks of the boxes; null: nothing, it may be the page's. */
export function actionFor(press: Press, { classes, chosen, isEnlarged }: Now): Action | null {
  const key = keyOf(press);
  const isCommand = press.ctrlKey || press.metaKey;
  const arrow = ARROWS[key];
  if (arrow) return arrowAction(arrow, press, chosen !== null, isEnlarged);
  if (isCommand || press.altKey) {
    if (press.altKey) return null;
    return (press.shiftKey && key === "z" ? WITH_SHIFT.z : WITH_CONTROL[key]) ?? null;
  }
  if (key === "tab") return { do: "cycle", by: press.shiftKey ? -1 : 1 };
  if (key === " ") return chosen?.kind === "proposal" ? { do: "keep" } : null;
  if (press.shiftKey && key !== "z" && WITH_SHIFT[key]) return WITH_SHIFT[key];
  const named = askedBy(press, (hotkey) => classes.find((one) => one.hotkey === hotkey) ?? null);
  if (named) return { do: "arm", classId: named.id };
  // A key that types nothing, as that between Latin and Kana, has a meaning of its own.
  const place = key.length === 1 || key === "dead" ? PLACES[press.code] : undefined;
  const sign = SIGNS[key] ?? SIGNS[place ?? ""];
  if (sign) return sign;
  // In the row of digits some layouts have signs that are classes' keys here.
  return /^Digit/.test(press.code) ? null : (ALONE[key] ?? null);
}

function arrowAction(
  arrow: Point,
  press: Press,
  isChosen: boolean,
  isEnlarged: boolean,
): Action | null {
  const by = press.shiftKey ? FAR : 1;
  const times = (length: number) => ({ x: arrow.x * length, y: arrow.y * length });
  const pulls = press.ctrlKey || press.metaKey || press.altKey;
  if (isChosen) return { do: "nudge", by: times(by), pulls };
  return press.shiftKey && isEnlarged ? { do: "pan", by: times(-PAN) } : null;
}

const PAGE_KEYS = pageKeys(FIXED_KEYS.ood);

/** What concerns the page: verdicts other than boxes, and going back and forth. */
export const commandFor = (key: string): Command | null => PAGE_KEYS[key] ?? null;
