import type { LabelClass } from "../../../api/types";
import type { Choice } from "../../../tasks/choice";
import { commandFor } from "../../../tasks/classification/keys";
import { FIXED_KEYS, type KeyDialogOf, openedByKey } from "../../../ui/hotkeys";
import type { Direction } from "./selection";

/** Keys of the grid that a class may have; the class then comes first. */
export const GRID_KEYS = { group: "a", mode: "v" } as const;

export type GridCommand =
  | { do: "answer"; choice: Choice }
  | { do: "move"; direction: Direction; extend: boolean }
  | { do: "toggle" | "confirm" | "group" | "clear" | "look" | "undo" }
  | { do: "guide" | "pause" }
  | { do: KeyDialogOf<"grid"> }
  | { do: "resize"; by: 1 | -1 };

const DIALOGS = openedByKey("grid");

const MOVES: Record<string, Direction> = {
  arrowleft: "left",
  arrowright: "right",
  arrowup: "up",
  arrowdown: "down",
};

/** What a key of the grid asks for. */
export function gridCommandFor(
  key: string,
  shift: boolean,
  classes: LabelClass[],
): GridCommand | null {
  const direction = MOVES[key];
  if (direction) return { do: "move", direction, extend: shift };
  switch (key) {
    case " ":
      return { do: "toggle" };
    case "enter":
      return { do: "confirm" };
    case "escape":
      return { do: "clear" };
    case FIXED_KEYS.smooth:
      return { do: "look" };
    case "+":
    case "=":
      return { do: "resize", by: -1 };
    case "-":
      return { do: "resize", by: 1 };
  }
  const command = commandFor(key, classes);
  if (command?.do === "answer") return command;
  const opened = DIALOGS[key];
  if (opened) return opened;
  switch (command?.do) {
    case "undo":
    case "guide":
    case "pause":
      return { do: command.do };
  }
  return key === GRID_KEYS.group ? { do: "group" } : null;
}
