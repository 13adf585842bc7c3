import { afterEach, expect, it, vi } from "vitest";
import { isSignedIn, noteSignedIn, onOtherUser } from "./signedIn";

afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

it("tells tabs of another user's sign-in, and of no other", () => {
  const listener = vi.fn();
  const unlisten = onOtherUser(7, listener);
  const announce = (userId: number) => {
    noteSignedIn(userId);
    window.dispatchEvent(new StorageEvent("storage", { key: "karat:signed-in" }));
  };
  announce(7);
  expect(isSignedIn(7)).toBe(true);
  expect(listener).not.toHaveBeenCalled();
  announce(8);
  expect(isSignedIn(7)).toBe(false);
  expect(listener).toHaveBeenCalledTimes(1);
  unlisten();
});

it("stops nobody where the browser refuses storage", () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("refused");
  });
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("refused");
  });
  noteSignedIn(8);
  expect(isSignedIn(7)).toBe(true);
});
