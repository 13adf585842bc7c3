import { afterEach, expect, it, vi } from "vitest";
import { deleteProject } from "./projects";
import { removeSnapshot, takeSnapshot } from "./snapshots";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("waits for minutes for what goes through all of a project", async () => {
  const waited = vi.spyOn(AbortSignal, "timeout");
  vi.stubGlobal("fetch", async () => Response.json({}));
  await takeSnapshot(1, "now");
  await deleteProject(1);
  await removeSnapshot(1, "now");
  expect(waited.mock.calls).toEqual([[600_000], [600_000], [30_000]]);
});
