import { afterEach, expect, it, vi } from "vitest";
import { labelingApi } from "./labeling";
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

it("names what is to be kept only where there is any, as servers of before know no such thing", async () => {
  const bodies: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    bodies.push(await request.json());
    return Response.json({ released: 0 });
  });
  await labelingApi.release(1, "tab");
  await labelingApi.release(1, "tab", 2, [5]);
  expect(bodies).toEqual([
    { client: "tab", after_seconds: 0 },
    { client: "tab", after_seconds: 2, keep: [5] },
  ]);
});
