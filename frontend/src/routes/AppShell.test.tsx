import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { meQuery } from "../api/auth";
import type { Me } from "../api/types";
import { openOutbox } from "../features/labeling/queue/outbox";
import { uuid } from "../features/labeling/queue/uuid";
import { NewProject } from "../features/setup/NewProject";
import { useWordsOf } from "../media/MediumContext";
import { t } from "../strings";
import { AppShell } from "./AppShell";
import { Pages } from "./Pages";

function TextProject() {
  useWordsOf("text");
  return <p>{t.pool.detail.next}</p>;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("speaks of images again on the page for a new project, whatever was shown before", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, { id: 1, name: "Ada", role: "annotator" } as Me);
  const router = createMemoryRouter(
    [
      {
        Component: AppShell,
        children: [
          { path: "/projects/new", Component: NewProject },
          { path: "/projects/:projectId", Component: TextProject },
        ],
      },
    ],
    { initialEntries: ["/projects/7"] },
  );
  render(
    <QueryClientProvider client={client}>
      <Pages router={router} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText("Next text")).toBeTruthy();
  await act(() => router.navigate("/projects/new"));
  expect(screen.getByText(/Photographs, scans/)).toBeTruthy();
});

it("has a password chosen as soon as the server asks for it, and sends what waits after that", async () => {
  const mina = { id: 7, name: "Mina", email: "mina@example.org", role: "annotator" } as Me;
  let mustChange = true;
  const sent = vi.fn();
  const json = (status: number, body: object) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json" },
    });
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/auth/me")
      return json(200, { ...mina, must_change_password: mustChange });
    if (mustChange) return json(403, { code: "password_change_required" });
    const { answers } = await request.json();
    sent(...answers.map(({ query_id }: { query_id: number }) => query_id));
    const taken = { status: "accepted", annotation_id: 1, counted: true, code: null };
    return json(200, { results: answers.map(({ key }: { key: string }) => ({ key, ...taken })) });
  });
  await (await openOutbox()).add({
    kind: "answer",
    key: uuid(),
    userId: mina.id,
    projectId: 7,
    subject: { query_id: 3, example_id: 3, image_url: "", width: 8, height: 8, name: "" },
    verdict: "ood",
    classId: null,
    seconds: 1,
    supersedes: null,
    leaseToken: null,
  });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(meQuery.queryKey, mina);
  const routes = [{ Component: AppShell, children: [{ path: "/", element: <p>At home</p> }] }];
  render(
    <QueryClientProvider client={client}>
      <Pages router={createMemoryRouter(routes)} />
    </QueryClientProvider>,
  );
  expect(await screen.findByRole("heading", { name: t.people.chooseTitle })).toBeTruthy();
  expect(screen.queryByText("At home")).toBeNull();
  mustChange = false;
  act(() => void client.setQueryData(meQuery.queryKey, mina));
  expect(await screen.findByText("At home")).toBeTruthy();
  await vi.waitFor(() => expect(sent).toHaveBeenCalledExactlyOnceWith(3));
});
