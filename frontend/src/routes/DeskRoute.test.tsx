import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { projectQuery } from "../api/projects";
import type { Project } from "../api/types";
import { Component as LabelRoute } from "./LabelRoute";
import { Pages } from "./Pages";

afterEach(cleanup);
// jsdom has none, and nothing is told here.
vi.stubGlobal(
  "EventSource",
  class extends EventTarget {
    close() {}
  },
);

it.each([
  [["review"], "To the project", "/projects/7"],
  [[], "To the projects", "/"],
])("says where labels of a package's type come from: %j", async (permissions, link, address) => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const project = { id: 7, name: "Tickets", task: "severity", medium: "text", permissions };
  client.setQueryData(projectQuery(7).queryKey, project as unknown as Project);
  const routes = [{ path: "/projects/:projectId/label", Component: LabelRoute }];
  const router = createMemoryRouter(routes, { initialEntries: ["/projects/7/label"] });
  render(
    <QueryClientProvider client={client}>
      <Pages router={router} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText(/Labels of the type severity are given by/)).toBeTruthy();
  // The shell around it is the one landmark.
  expect(screen.queryByRole("main")).toBeNull();
  expect(screen.getByRole("link", { name: link }).getAttribute("href")).toBe(address);
});
