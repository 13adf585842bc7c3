import { afterEach, expect, it, vi } from "vitest";
import { lookUp } from "./alike";
import { NetworkError } from "./errors";
import { labelingApi } from "./labeling";
import { deleteProject } from "./projects";
import { removeSnapshot, takeSnapshot } from "./snapshots";
import { fetchText } from "./texts";

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

it("calls a request off that nobody waits for any more", async () => {
  const asked: RequestInit[] = [];
  vi.stubGlobal("fetch", (_: Request, init: RequestInit) => {
    asked.push(init);
    return new Promise((_resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  });
  const stop = new AbortController();
  const found = lookUp(1, new File(["picture"], "cat.png"), stop.signal);
  stop.abort();
  expect(asked[0]?.signal?.aborted).toBe(true);
  await expect(found).rejects.toMatchObject({ name: "AbortError" });
});

const breaksOff = () =>
  new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) }));

it.each([
  ["page of the server", () => labelingApi.status(1)],
  ["text", () => fetchText("/texts/1")],
])("takes a %s that breaks off for none", async (_, ask) => {
  vi.stubGlobal("fetch", async () => breaksOff());
  await expect(ask()).rejects.toBeInstanceOf(NetworkError);
});

it("waits for a text as long as for any other answer", async () => {
  const waited = vi.spyOn(AbortSignal, "timeout");
  vi.stubGlobal("fetch", async () => new Response("All of it."));
  expect(await fetchText("/texts/1")).toBe("All of it.");
  expect(waited.mock.calls).toEqual([[30_000]]);
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
