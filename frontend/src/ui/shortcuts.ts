import { keepChoice, readChoice } from "../strings/stored";

const KEY = "karat.shortcuts";

let on = readChoice(KEY) !== "off";

/** Whether single keys give verdicts; who dictates or is easily mistyped may switch that off. */
export const shortcutsAreOn = (): boolean => on;

export function switchShortcuts(next: boolean): void {
  on = next;
  keepChoice(KEY, next ? null : "off");
}
