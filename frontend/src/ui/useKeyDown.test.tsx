import { act, render } from "@testing-library/react";
import { useLayoutEffect } from "react";
import { expect, test } from "vitest";
import { useKeyDown } from "./useKeyDown";

const press = () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "1" }));

type PlaceProps = { shown: string; told: string[]; off?: boolean };

/** Is asked about one thing after the other, and tells which a key was about. */
function Place({ shown, told, off = false }: PlaceProps) {
  useKeyDown(() => told.push(shown), { off });
  return <p>{shown}</p>;
}

/** Presses a key as soon as something is on the page, before the browser has painted it. */
function Fast(props: PlaceProps) {
  const { shown } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: presses with each that is shown.
  useLayoutEffect(() => {
    press();
  }, [shown]);
  return <Place {...props} />;
}

test("a key is about what is on the page at that instant", () => {
  const told: string[] = [];
  const { rerender } = render(<Fast shown="first" told={told} />);
  rerender(<Fast shown="second" told={told} />);
  rerender(<Fast shown="third" told={told} />);
  expect(told).toEqual(["first", "second", "third"]);
});

test("nobody listens while keys are somebody else's, nor afterwards", () => {
  const told: string[] = [];
  const { rerender, unmount } = render(<Place shown="first" told={told} off />);
  act(() => void press());
  rerender(<Place shown="second" told={told} />);
  act(() => void press());
  unmount();
  press();
  expect(told).toEqual(["second"]);
});
