import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, expect, it } from "vitest";
import { meQuery } from "../api/auth";
import type { Me } from "../api/types";
import { NewProject } from "../features/setup/NewProject";
import { useWordsOf } from "../media/MediumContext";
import { t } from "../strings";
import { AppShell } from "./AppShell";

function TextProject() {
  useWordsOf("text");
  return <p>{t.pool.detail.next}</p>;
}

afterEach(cleanup);

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
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText("Next text")).toBeTruthy();
  await act(() => router.navigate("/projects/new"));
  expect(screen.getByText(/Photographs, scans/)).toBeTruthy();
});
