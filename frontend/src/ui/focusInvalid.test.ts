import { afterEach, expect, it } from "vitest";
import { focusInvalid } from "./focusInvalid";

afterEach(() => document.body.replaceChildren());

it("opens all that hides the field", () => {
  document.body.innerHTML =
    '<details id="outer"><details><input id="wrong" aria-invalid="true"></details></details><input>';
  expect(focusInvalid(document)).toBe(true);
  expect([...document.querySelectorAll("details")].map(({ open }) => open)).toEqual([true, true]);
  expect(document.activeElement?.id).toBe("wrong");
});

it("says that nothing is wrong", () => {
  document.body.innerHTML = '<details><input aria-invalid="false"></details>';
  expect(focusInvalid(document)).toBe(false);
  expect(document.querySelector("details")?.open).toBe(false);
});
