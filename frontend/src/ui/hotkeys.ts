import KEYS from "./keyDialogs.json";
import { shortcutsAreOn } from "./shortcuts";

/** Keys of the label page that no class can take. */
export const FIXED_KEYS = {
  ood: "x",
  unsure: "q",
  skip: "s",
  undo: "u",
  smooth: "z",
  help: "h",
  pause: "p",
  guide: "g",
  find: "f",
  note: "m",
} as const;

/** The dialogs of each page that open by a key, and their keys, the first of which is shown. */
export const KEY_DIALOGS = KEYS;

type Pages = typeof KEY_DIALOGS;
export type KeyDialogOf<Page extends keyof Pages> = keyof Pages[Page];

/** What keys of a page open, as a part of what its keys ask for. */
export function openedByKey<Page extends keyof Pages>(
  page: Page,
): Readonly<Record<string, { do: KeyDialogOf<Page> }>> {
  const dialogs = Object.entries(KEY_DIALOGS[page]) as [KeyDialogOf<Page>, string[]][];
  return Object.fromEntries(
    dialogs.flatMap(([name, keys]) => keys.map((key) => [key, { do: name }])),
  );
}

const DIGITS = "1234567890".split("");
const LETTERS = "abcdefghijklmnopqrstuvwxyz".split("");
const FIXED: ReadonlySet<string> = new Set(Object.values(FIXED_KEYS));
const SHIFT = "shift+";

/** Keys a class can have, in the order in which they are given out. */
export const CLASS_KEYS: readonly string[] = [
  ...DIGITS,
  ...DIGITS.map((digit) => SHIFT + digit),
  ...LETTERS.filter((letter) => !FIXED.has(letter)),
];

/** The first key that is not taken yet, or null when all are. */
export function freeKey(taken: Iterable<string | null>): string | null {
  const used = new Set(taken);
  return CLASS_KEYS.find((key) => !used.has(key)) ?? null;
}

/** A key as it is shown: `X`, or `⇧1` for a digit with shift. */
export function keyLabel(key: string): string {
  if (key.startsWith(SHIFT)) return `⇧${key.slice(SHIFT.length).toUpperCase()}`;
  return key.length === 1 ? key.toUpperCase() : key;
}

/** A key as `aria-keyshortcuts` names it. */
export const ariaKey = (key: string): string => key.replace(SHIFT, "Shift+");

type Press = Pick<KeyboardEvent, "key" | "code"> &
  Partial<Pick<KeyboardEvent, "shiftKey" | "getModifierState">>;

/**
 * The key of an event as it is printed on a button.
 *
 * Falls back to the key's place on the keyboard, for layouts and input methods on which the Latin
 * letters or the bare digits are not within reach.
 */
export const keyOf = (event: Press): string => keysOf(event)[0];

/** All that the key of an event may stand for, what comes first first. */
function keysOf(event: Press): readonly [string, ...string[]] {
  const key = event.key.toLowerCase();
  // What is typed so is meant so.
  if (event.getModifierState?.("AltGraph")) return [key];
  const digit = event.shiftKey ? /^Digit([0-9])$/.exec(event.code)?.[1] : undefined;
  // Layouts have there a bare digit, or a sign that may be a key of the page's.
  if (digit) return [SHIFT + digit, key];
  if (/^[a-z0-9?]$/.test(key) || key.length > 1) return [key];
  const place = /^(?:Key([A-Z])|(?:Digit|Numpad)([0-9]))$/.exec(event.code);
  return [(place?.[1] ?? place?.[2] ?? key).toLowerCase()];
}

/** What a press asks for by the first of its keys that asks for something; null where none does. */
export function askedBy<Asked>(
  event: Press,
  askedFor: (key: string) => Asked | null,
): Asked | null {
  for (const key of keysOf(event)) {
    const asked = askedFor(key);
    if (asked !== null) return asked;
  }
  return null;
}

/** Whether something has Enter and space for itself: what it does, and not what the page does. */
export const isControl = (target: EventTarget | null): boolean =>
  (target as Element | null)?.closest?.("a, button, summary") != null;

/** Whether a key press belongs to a text field or a dialog instead of the page, or keys are switched off. */
export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  // Arrows, Enter, Escape and space say the same everywhere, and stay.
  if (!shortcutsAreOn() && event.key.length === 1 && event.key !== " ") return true;
  const target = event.target as HTMLElement | null;
  return Boolean(target?.closest("input, textarea, select, [contenteditable], dialog"));
}
