import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { createMemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { projectQuery } from "../api/projects";
import type { Project } from "../api/types";
import { t } from "../strings";
import { Component as Certificate } from "./CertificateRoute";
import { DeskRoute } from "./DeskRoute";
import { Component as Job } from "./JobRoute";
import { Pages } from "./Pages";
import { Component as Report } from "./ReportRoute";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ROUTES = [
  {
    path: "/projects/:projectId/label",
    element: <DeskRoute title={() => ""}>{() => null}</DeskRoute>,
  },
  { path: "/projects/:projectId/jobs/:jobId", Component: Job },
  { path: "/projects/:projectId/certificates/:certificateId", Component: Certificate },
  { path: "/projects/:projectId/certificates/:certificateId/report", Component: Report },
];

it.each([
  ["/projects/abc/label", 422],
  ["/projects/0/label", 422],
  ["/projects/99999999999999999999/label", 422],
  ["/projects/8/label", 404],
  ["/projects/7/jobs/9", 404],
  ["/projects/7/jobs/x", 422],
  ["/projects/7/certificates/9", 404],
  ["/projects/7/certificates/x", 422],
  ["/projects/7/certificates/9/report", 404],
  ["/projects/7/certificates/x/report", 422],
])("says of %s that there is nothing, and not to try again", async (address, status) => {
  const body = { status, code: status === 404 ? "not_found" : "malformed", detail: "no" };
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Infinity } },
  });
  const project = { id: 7, name: "Birds", permissions: ["review"], medium: "image" };
  client.setQueryData(projectQuery(7).queryKey, project as unknown as Project);
  render(
    <QueryClientProvider client={client}>
      <Pages router={createMemoryRouter(ROUTES, { initialEntries: [address] })} />
    </QueryClientProvider>,
  );
  expect(await screen.findByText(t.common.notFound)).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});
