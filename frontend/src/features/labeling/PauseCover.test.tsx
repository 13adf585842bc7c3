import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useRef, useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useScrollKeys } from "../../media/text/scrolling";
import { PauseCover } from "./PauseCover";
import { Stopwatch } from "./queue/stopwatch";

const scrollTo = vi.fn();
const stopwatch = new Stopwatch();

beforeEach(() => {
  scrollTo.mockReset();
  // jsdom lays nothing out and moves nothing.
  Element.prototype.scrollTo = scrollTo;
  window.matchMedia = () => ({ matches: true }) as MediaQueryList;
});
afterEach(cleanup);

function Desk() {
  const [paused, setPaused] = useState(false);
  const region = useRef<HTMLElement>(null);
  useScrollKeys(region, paused);
  return (
    <>
      <section ref={region}>A long text</section>
      <button type="button" onClick={() => setPaused(true)}>
        Break
      </button>
      {paused && <PauseCover why="asked" stopwatch={stopwatch} onResume={() => setPaused(false)} />}
    </>
  );
}

it.each([" ", "ArrowDown", "End"])("ends a break by “%s”, which moves no text beneath", (key) => {
  render(<Desk />);
  fireEvent.click(screen.getByRole("button", { name: "Break" }));
  expect(screen.getByRole("status")).toBeTruthy();
  expect(fireEvent.keyDown(document.body, { key })).toBe(false);
  expect(screen.queryByRole("status")).toBeNull();
  expect(scrollTo).not.toHaveBeenCalled();
  fireEvent.keyDown(document.body, { key });
  expect(scrollTo).toHaveBeenCalledTimes(1);
});

it("tells fingers to tap, who have no keys to press", () => {
  render(<Desk />);
  fireEvent.click(screen.getByRole("button", { name: "Break" }));
  expect(screen.getByText(/Tap anywhere/)).toBeTruthy();
  fireEvent.click(document.body);
  expect(screen.queryByRole("status")).toBeNull();
});

it("leaves a dialog over it alone, as where one signs in again", () => {
  render(
    <>
      <Desk />
      <dialog open>
        <input aria-label="Password" />
      </dialog>
    </>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Break" }));
  const field = screen.getByLabelText("Password");
  expect(fireEvent.keyDown(field, { key: "s" })).toBe(true);
  expect(fireEvent.click(field)).toBe(true);
  expect(screen.getByRole("status")).toBeTruthy();
});
