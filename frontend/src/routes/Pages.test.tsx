import { cleanup, getConfig, render, screen } from "@testing-library/react";
import { createMemoryRouter, useSearchParams } from "react-router";
import { afterEach, expect, it } from "vitest";
import { Pages } from "./Pages";

afterEach(cleanup);

function Dark() {
  const [query, setQuery] = useSearchParams();
  const isDark = query.has("dark");
  const tick = () => setQuery(isDark ? {} : { dark: "" }, { replace: true });
  return <input type="checkbox" checked={isDark} onChange={tick} />;
}

it("shows what was chosen before anything else happens", async () => {
  render(<Pages router={createMemoryRouter([{ path: "/", Component: Dark }])} />);
  const box = screen.getByRole<HTMLInputElement>("checkbox");
  // As in a browser: a click is drawn when React comes to it, not because a test waits.
  await getConfig().asyncWrapper(async () => {
    for (const state of [true, false, true]) {
      box.click();
      await null;
      expect(box.checked).toBe(state);
    }
  });
});
