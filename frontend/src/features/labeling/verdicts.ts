import type { LabelClass, Verdict } from "../../api/types";
import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";

export type Choice = { verdict: Verdict; classId: number | null };

/** What a key of the label page asks for. */
export type Command =
  | { do: "answer"; choice: Choice }
  | { do: "undo" | "keep" | "smooth" | "help" };

export function commandFor(key: string, classes: LabelClass[]): Command | null {
  const chosen = classes.find((item) => item.hotkey === key);
  if (chosen) return { do: "answer", choice: { verdict: "class", classId: chosen.id } };
  switch (key) {
    case FIXED_KEYS.ood:
      return { do: "answer", choice: { verdict: "ood", classId: null } };
    case FIXED_KEYS.unsure:
      return { do: "answer", choice: { verdict: "unsure", classId: null } };
    case FIXED_KEYS.skip:
      return { do: "answer", choice: { verdict: "skip", classId: null } };
    case FIXED_KEYS.undo:
    case "backspace":
      return { do: "undo" };
    case "enter":
    case "arrowright":
      return { do: "keep" };
    case FIXED_KEYS.smooth:
      return { do: "smooth" };
    case FIXED_KEYS.help:
    case "?":
      return { do: "help" };
    default:
      return null;
  }
}

export function nameOf(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "class") {
    return classes.find((item) => item.id === choice.classId)?.name ?? t.label.verdicts;
  }
  return { ood: t.label.ood, unsure: t.label.unsure, skip: t.label.skip }[choice.verdict];
}

export const isSame = (a: Choice | null, b: Choice): boolean =>
  a !== null && a.verdict === b.verdict && a.classId === b.classId;
