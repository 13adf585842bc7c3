import { describe, expect, it } from "vitest";
import { CLASS_KEYS, FIXED_KEYS, freeKey, keyOf } from "./hotkeys";

describe("keys", () => {
  it("gives digits first, then letters, and never a key of the page itself", () => {
    expect(CLASS_KEYS.slice(0, 10).join("")).toBe("1234567890");
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

  it("falls back to the key's place where the layout has no Latin letters or bare digits", () => {
    expect(keyOf({ key: "ㅌ", code: "KeyX" })).toBe("x");
    expect(keyOf({ key: "&", code: "Digit1" })).toBe("1");
    expect(keyOf({ key: "+", code: "Numpad7" })).toBe("7");
  });
});
