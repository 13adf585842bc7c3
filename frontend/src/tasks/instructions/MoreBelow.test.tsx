import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { MoreBelow } from "./MoreBelow";

function Region() {
  const region = useRef<HTMLElement>(null);
  return (
    <>
      <section ref={region} />
      <MoreBelow region={region} queryId={1} />
    </>
  );
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each([
  [true, "instant"],
  [false, "smooth"],
])("goes on without a movement where none is wanted: %s", (matches, behavior) => {
  // jsdom lays nothing out, moves nothing and knows no preference.
  vi.stubGlobal("matchMedia", () => ({ matches }));
  vi.spyOn(Element.prototype, "scrollHeight", "get").mockReturnValue(1000);
  const scrollBy = vi.fn();
  Element.prototype.scrollBy = scrollBy;
  render(<Region />);
  fireEvent.click(screen.getByRole("button"));
  expect(scrollBy).toHaveBeenCalledWith(expect.objectContaining({ behavior }));
});
