import { cleanup, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { chooseTheme } from "../theme";
import { usePalette } from "./usePalette";

afterEach(() => {
  cleanup();
  chooseTheme(null);
  vi.unstubAllGlobals();
});

function Drawn() {
  const frame = useRef<HTMLDivElement>(null);
  const palette = usePalette(frame);
  return <div ref={frame}>{palette?.ink}</div>;
}

it("has other colours as soon as its user chooses dark ones", async () => {
  vi.stubGlobal("matchMedia", () => new EventTarget());
  // jsdom computes no colours.
  const coloured = () => ({ color: document.documentElement.dataset.theme || "as the system" });
  vi.spyOn(window, "getComputedStyle").mockImplementation(
    coloured as unknown as typeof getComputedStyle,
  );
  render(<Drawn />);
  expect(screen.getByText("as the system")).toBeTruthy();
  chooseTheme("dark");
  expect(await screen.findByText("dark")).toBeTruthy();
});
