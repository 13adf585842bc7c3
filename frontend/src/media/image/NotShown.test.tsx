import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Ahead, Subject } from "../spec";
import { NotShown } from "./NotShown";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const subject = { query_id: 1, image_url: "/api/examples/1/image?v=1" } as unknown as Subject;
const ahead = { get: () => ({ state: "failed" }), retry: () => {} } as unknown as Ahead;

it("names the network for what did not come only where the server says no reason", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  vi.stubGlobal("fetch", async () => {
    throw new TypeError();
  });
  render(<NotShown subject={subject} ahead={ahead} />);
  expect(screen.getByText(/^There is no network\./)).toBeTruthy();
  cleanup();
  // Of a server on the same machine.
  vi.stubGlobal("fetch", async () => Response.json({ detail: "It is broken." }, { status: 422 }));
  render(<NotShown subject={subject} ahead={ahead} />);
  expect(await screen.findByText("It is broken.")).toBeTruthy();
  expect(screen.queryByText(/network/)).toBeNull();
});
