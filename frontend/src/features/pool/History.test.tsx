import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import type { ExampleAnnotation, Project } from "../../api/types";
import { History } from "./History";

const project = { id: 7, classes: [{ id: 3, name: "robin" }] } as Project;

function show(given: Partial<ExampleAnnotation>) {
  const annotation = {
    id: 1,
    verdict: "skip",
    class_id: null,
    annotator: "Ada",
    source_name: null,
    job_id: null,
    round: null,
    seconds: 0,
    counted: true,
    holds: true,
    superseded_by: null,
    created_at: "2025-06-01T12:00:00Z",
    ...given,
  } as ExampleAnnotation;
  render(
    <MemoryRouter>
      <History project={project} annotations={[annotation]} />
    </MemoryRouter>,
  );
}

afterEach(cleanup);

it("says that a review took its decision back, and leads to the job that was reviewed", () => {
  show({ source: "review", job_id: 12 });
  expect(screen.getByText("Taken back")).toBeTruthy();
  expect(screen.queryByText("Skip")).toBeNull();
  expect(screen.getByRole("link").getAttribute("href")).toBe("/projects/7/jobs/12");
});

it("calls it a skip where a person skipped, which leads nowhere", () => {
  show({ source: "annotator" });
  expect(screen.getByText("Skip")).toBeTruthy();
  expect(screen.queryByText("Taken back")).toBeNull();
  expect(screen.queryByRole("link")).toBeNull();
});
