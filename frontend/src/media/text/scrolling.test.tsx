import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useScrollKeys } from "./scrolling";

const SPACE = { key: " " };
const scrollTo = vi.fn();

beforeEach(() => {
  scrollTo.mockReset();
  // jsdom lays nothing out and moves nothing.
  Element.prototype.scrollTo = scrollTo;
  window.matchMedia = () => ({ matches: true }) as MediaQueryList;
});
afterEach(cleanup);

function Page({ covered = false }: { covered?: boolean }) {
  const region = useRef<HTMLElement>(null);
  useScrollKeys(region, covered);
  return (
    <>
      <section ref={region}>A long text</section>
      <button type="button">Cat</button>
      <button type="button">Dog</button>
    </>
  );
}

const button = (name: string) => screen.getByRole("button", { name });

/** As a browser does it: pointer, focus, and what that tells. */
function clickOn(name: string) {
  fireEvent.pointerDown(button(name));
  button(name).focus();
  fireEvent.click(button(name));
}

it("reads on by a space after a click, and lets neither half of it press the button", () => {
  render(<Page />);
  clickOn("Cat");
  expect(fireEvent.keyDown(button("Cat"), SPACE)).toBe(false);
  expect(scrollTo).toHaveBeenCalledTimes(1);
  expect(fireEvent.keyUp(button("Cat"), SPACE)).toBe(false);
  expect(fireEvent.keyUp(button("Cat"), SPACE)).toBe(true);
});

it("leaves the space to a button that the focus came back to", () => {
  render(<Page />);
  clickOn("Cat");
  button("Dog").focus();
  button("Cat").focus();
  expect(fireEvent.keyDown(button("Cat"), SPACE)).toBe(true);
  expect(fireEvent.keyUp(button("Cat"), SPACE)).toBe(true);
  expect(scrollTo).not.toHaveBeenCalled();
});

it("moves nothing under a cover, and the space that lifts it presses nothing", () => {
  const { rerender } = render(<Page covered />);
  clickOn("Cat");
  for (const key of ["ArrowDown", "End", " "]) fireEvent.keyDown(button("Cat"), { key });
  rerender(<Page />);
  expect(fireEvent.keyUp(button("Cat"), SPACE)).toBe(false);
  expect(scrollTo).not.toHaveBeenCalled();
  fireEvent.keyDown(button("Cat"), { key: "End" });
  expect(scrollTo).toHaveBeenCalledTimes(1);
});
