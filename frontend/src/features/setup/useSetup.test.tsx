import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { projectQuery } from "../../api/projects";
import { makeQueryClient } from "../../api/queryClient";
import { useSetup } from "./useSetup";

type Stored = { name: string; guidelines: string; setup_version: string };

const bird = { id: 1, name: "Bird", colour: "#3b6fb6", hotkey: null, guide: "" };
const first = {
  ...{ id: 7, name: "Birds", guidelines: "", classes: [bird], task: "classification", modes: [] },
  ...{ settings: { budget: 9 }, setup_version: "read" },
};
const owl = { ...bird, id: 2, name: "Owl" };
const theirs = { guidelines: "Theirs.", classes: [bird, owl], setup_version: "theirs" };

let stored: Stored;
/** Versions that changes were sent as made from, and what of them was refused. */
let sent: string[];
let refused: number;

/** A server that takes what was made from what it has, and gives each change a version. */
async function answer(input: unknown) {
  const request = input as Request;
  if (request.method !== "PATCH") return Response.json(stored);
  const body: Partial<Stored> = await request.json();
  sent.push(body.setup_version ?? "");
  // As long as nothing has come back more may be typed.
  await pass(500);
  if (body.setup_version !== stored.setup_version) {
    refused += 1;
    return Response.json({ code: "setup_changed", detail: "Changed." }, { status: 409 });
  }
  stored = { ...stored, ...body, setup_version: `mine ${sent.length}` };
  return Response.json(stored);
}

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const rest = (ms = 3_000) => act(() => vi.advanceTimersByTimeAsync(ms));

/** The page of a project that is opened, with what is read of it now. */
function opened(state: string) {
  stored = { ...stored, ...{ state } };
  const client = makeQueryClient();
  client.setQueryData(projectQuery(7).queryKey, stored as never);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useSetup(useQuery(projectQuery(7)).data as never), {
    wrapper,
  });
  return {
    type: (guidelines: string) =>
      act(() => result.current.setBasics({ ...result.current.basics, guidelines })),
    addClass: (name: string) => {
      const added = { ...owl, row: name, id: null, name };
      const classes = [...result.current.basics.classes, added];
      act(() => result.current.setBasics({ ...result.current.basics, classes }));
    },
    save: (more: string[] = []) => act(() => result.current.save.mutate(more)),
    read: () => act(() => void client.invalidateQueries({ queryKey: projectQuery(7).queryKey })),
    discard: () => act(() => result.current.discard()),
    told: () => result.current.save.error?.message,
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(globalThis, "fetch").mockImplementation(answer);
  stored = first;
  sent = [];
  refused = 0;
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.useRealTimers();
});

it("saves what runs as made from what was read, and once told from what there is now", async () => {
  const page = opened("running");
  page.type("Mine.");
  stored = { ...stored, ...theirs };
  page.save();
  await rest();
  expect(page.told()).toBe("Changed.");
  page.save();
  await rest();
  expect(page.told()).toBeUndefined();
  expect(sent).toEqual(["read", "theirs"]);
  expect(stored.guidelines).toBe("Mine.");
});

it("sends a refused edit of a draft again with the next one, and not by itself", async () => {
  const page = opened("draft");
  page.addClass("Jay");
  stored = { ...stored, ...theirs };
  await rest();
  // What they wrote is in the classes that are shown by now.
  expect([sent, page.told()]).toEqual([["read"], "Changed."]);
  page.type("Mine.");
  await rest();
  expect([sent, page.told()]).toEqual([["read", "theirs"], undefined]);
  expect(stored.guidelines).toBe("Mine.");
});

it("takes what is typed while a draft is refused for no answer to it", async () => {
  const page = opened("draft");
  page.type("Mine");
  stored = { ...stored, ...theirs };
  await rest(610);
  page.type("Mine.");
  // On its way before the first has come back.
  page.save();
  await rest();
  expect(refused).toBe(sent.length);
  expect([page.told(), stored.guidelines]).toEqual(["Changed.", "Theirs."]);
  page.save();
  await rest();
  expect([page.told(), stored.guidelines]).toEqual([undefined, "Mine."]);
});

it.each(["draft", "running"])("keeps what edits of a %s were made from", async (state) => {
  let page = opened(state);
  page.type("Mine.");
  stored = { ...stored, ...theirs };
  await rest();
  cleanup();
  page = opened(state);
  if (state === "running") page.save();
  await rest();
  expect([page.told(), stored.guidelines]).toEqual(["Changed.", "Theirs."]);
  expect(new Set(sent)).toEqual(new Set(["read"]));
  page.save();
  await rest();
  expect([page.told(), stored.guidelines]).toEqual([undefined, "Mine."]);
});

it("takes an import's classes for no look at what others have written beside edits", async () => {
  const page = opened("running");
  page.type("Mine.");
  stored = { ...stored, ...theirs };
  page.read();
  await rest();
  page.save(["Jay"]);
  await rest();
  page.save();
  await rest();
  expect([page.told(), stored.guidelines]).toEqual(["Changed.", "Theirs."]);
});

it("keeps nothing of edits that are saved or thrown away", async () => {
  let page = opened("running");
  page.type("Mine.");
  page.save();
  await rest();
  page.type("More.");
  page.discard();
  cleanup();
  stored = { ...stored, ...theirs };
  page = opened("running");
  page.type("Mine.");
  page.save();
  await rest();
  expect(sent).toEqual(["read", "theirs"]);
});
