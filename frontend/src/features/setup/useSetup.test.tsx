import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { useSetup } from "./useSetup";

const read = {
  ...{ id: 7, name: "Birds", guidelines: "", classes: [], state: "running", settings: {} },
  setup_version: "read",
};

it("saves as made from what was read, and once told from what there is now", async () => {
  const theirs = { ...read, guidelines: "Theirs.", setup_version: "theirs" };
  const sent: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method !== "PATCH") return Response.json(theirs);
    const body = await request.json();
    sent.push(body.setup_version);
    if (body.setup_version === theirs.setup_version) return Response.json({ ...theirs, ...body });
    return Response.json({ code: "setup_changed", detail: "Changed." }, { status: 409 });
  });
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result, rerender } = renderHook((project) => useSetup(project as never), {
    wrapper,
    initialProps: read,
  });
  act(() => result.current.setBasics({ ...result.current.basics, guidelines: "Mine." }));
  rerender(theirs);
  act(() => result.current.save.mutate([]));
  await waitFor(() => expect(result.current.save.error?.message).toBe("Changed."));
  act(() => result.current.save.mutate([]));
  await waitFor(() => expect(result.current.save.isSuccess).toBe(true));
  expect(sent).toEqual(["read", "theirs"]);
});
