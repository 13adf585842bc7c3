import { describe, expect, it } from "vitest";
import {
  CLASS_KEYS,
  FIXED_KEYS,
  freeKey,
  isControl,
  KEY_DIALOGS,
  keyLabel,
  keyOf,
  openedByKey,
} from "./hotkeys";

describe("keys", () => {
  it("gives digits first, then digits with shift, then letters, and never a key of the page itself", () => {
    expect(CLASS_KEYS.slice(0, 10).join("")).toBe("1234567890");
    expect(CLASS_KEYS.slice(10, 20).map(keyLabel).join("")).toBe("⇧1⇧2⇧3⇧4⇧5⇧6⇧7⇧8⇧9⇧0");
    for (const key of Object.values(FIXED_KEYS)) expect(CLASS_KEYS).not.toContain(key);
    expect(freeKey(["1", "3", null])).toBe("2");
    expect(freeKey(CLASS_KEYS)).toBeNull();
  });

  it("reads the key that is printed", () => {
    expect(keyOf({ key: "X", code: "KeyX" })).toBe("x");
    expect(keyOf({ key: "x", code: "KeyB" })).toBe("x");
    expect(keyOf({ key: "Enter", code: "Enter" })).toBe("enter");
    expect(keyOf({ key: "?", code: "Slash" })).toBe("?");
  });

  it("tells a digit with shift from the digit, whatever the layout makes of it", () => {
    expect(keyOf({ key: "!", code: "Digit1", shiftKey: true })).toBe("shift+1");
    expect(keyOf({ key: "1", code: "Digit1", shiftKey: true })).toBe("shift+1");
    expect(keyOf({ key: "X", code: "KeyX", shiftKey: true })).toBe("x");
  });

  it("opens dialogs by the keys that are listed, which no class can take", () => {
    const { help, find } = KEY_DIALOGS.label;
    expect([help[0], find[0]]).toEqual([FIXED_KEYS.help, FIXED_KEYS.find]);
    for (const page of ["label", "grid", "review", "pool"] as const) {
      const opened = openedByKey(page);
      for (const [dialog, keys] of Object.entries(KEY_DIALOGS[page])) {
        for (const key of keys) {
          expect(opened[key]).toEqual({ do: dialog });
          expect(CLASS_KEYS).not.toContain(key);
        }
      }
    }
  });

  it("falls back to the key's place where the layout has no Latin letters or bare digits", () => {
    expect(keyOf({ key: "ㅌ", code: "KeyX" })).toBe("x");
    expect(keyOf({ key: "&", code: "Digit1" })).toBe("1");
    expect(keyOf({ key: "+", code: "Numpad7" })).toBe("7");
  });
});

it.each(["a", "button", "summary"])(
  "leaves Enter and space to a %s, and to what is in it",
  (tag) => {
    const control = document.createElement(tag);
    const inner = control.appendChild(document.createElement("span"));
    expect([control, inner].map(isControl)).toEqual([true, true]);
    expect([document.body, document, null].map(isControl)).toEqual([false, false, false]);
  },
);
