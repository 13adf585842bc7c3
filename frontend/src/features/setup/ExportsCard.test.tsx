import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { exampleCountQuery, filtersOf } from "../../api/pool";
import { exportedClassesQuery } from "../../api/projects";
import { snapshotsQuery } from "../../api/snapshots";
import type { Project } from "../../api/types";
import { ExportsCard } from "./ExportsCard";

const ONLY = "class_id=2&fields=camera%3D3&fields=score%3C2&split=pool";

type Images = { labeled: number; evaluation: number };

function shown(
  classes: Record<string, Images>,
  labeled = 6,
  task = "classification",
  snapshots: string[] = [],
  address = "",
) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(
    exportedClassesQuery(7).queryKey,
    Object.entries(classes).map(([name, images], number) => ({
      id: number + 1,
      name,
      number,
      folder: name,
      ...images,
    })),
  );
  client.setQueryData(exampleCountQuery(7, filtersOf(ONLY)).queryKey, { count: 3, exact: true });
  const items = snapshots.map((name, id) => ({ id, name }));
  client.setQueryData(snapshotsQuery(7).queryKey, { items, next_cursor: null } as never);
  const counts = { labeled_in: labeled, no_objects: 0, labeled_ood: 0, unsure: 0 };
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[`/projects/7/settings${address}`]}>
        <ExportsCard project={{ id: 7, task, counts } as unknown as Project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const link = (name: string) => screen.getByLabelText(name).getAttribute("href");

afterEach(cleanup);

it("names the classes that no evaluation image, or no labeled one, shows", () => {
  shown({
    ant: { labeled: 2, evaluation: 1 },
    bee: { labeled: 2, evaluation: 0 },
    cow: { labeled: 0, evaluation: 1 },
  });
  expect(screen.getByText(/^No evaluation image shows “bee”:/)).toBeTruthy();
  expect(screen.getByText(/^No labeled image shows “cow”:/)).toBeTruthy();
  expect(screen.getByText(/CLASSES.txt/)).toBeTruthy();
});

it("says nothing of classes that have images in both splits", () => {
  shown({ ant: { labeled: 2, evaluation: 1 } });
  expect(screen.queryByText(/evaluation image/)).toBeNull();
  expect(screen.queryByText(/CLASSES.txt/)).toBeNull();
});

it("says once that there is no evaluation image at all", () => {
  shown({ ant: { labeled: 2, evaluation: 0 }, bee: { labeled: 2, evaluation: 0 } });
  expect(screen.getByText(/^There is no evaluation image:/)).toBeTruthy();
  expect(screen.queryByText(/No evaluation image shows/)).toBeNull();
});

it("speaks of no folders by class where there are boxes", () => {
  shown({ ant: { labeled: 2, evaluation: 1 } }, 6, "boxes");
  expect(screen.getByText("For moving a whole project.")).toBeTruthy();
  expect(screen.queryByText(/[Ff]olders? by class/)).toBeNull();
});

it("asks for a mark for Excel in the CSV alone", () => {
  shown({ ant: { labeled: 2, evaluation: 1 } });
  expect(link("Download CSV")).toBe("/api/projects/7/export?format=csv");
  fireEvent.click(screen.getByLabelText(/CSV for Excel/));
  fireEvent.click(screen.getByLabelText(/Only what holds now/));
  expect(link("Download CSV")).toBe("/api/projects/7/export?format=csv&effective=true&bom=true");
  expect(link("Download JSON Lines")).toBe("/api/projects/7/export?format=jsonl&effective=true");
});

it("exports as it was in a snapshot, if there are any", () => {
  shown({ ant: { labeled: 2, evaluation: 1 } });
  expect(screen.queryByLabelText("Labels as of")).toBeNull();
  cleanup();
  shown({ ant: { labeled: 2, evaluation: 1 } }, 6, "classification", ["release 1.0"]);
  expect(link("Download COCO")).toBe("/api/projects/7/export?format=coco");
  fireEvent.change(screen.getByLabelText("Labels as of"), { target: { value: "release 1.0" } });
  expect(link("Download COCO")).toBe("/api/projects/7/export?format=coco&snapshot=release+1.0");
});

it("exports what the pool page showed, says that it is a part, and offers all", () => {
  const address = `?${new URLSearchParams({ only: ONLY })}`;
  shown({ ant: { labeled: 2, evaluation: 0 } }, 6, "classification", ["release 1.0"], address);
  expect(screen.getByText(/Only what the pool page showed: 3 images\./)).toBeTruthy();
  expect(link("Download COCO")).toBe(`/api/projects/7/export?${ONLY}&format=coco`);
  // It is of what holds now, and what the whole lacks is not what it lacks.
  expect(screen.queryByLabelText("Labels as of")).toBeNull();
  expect(screen.queryByText(/evaluation image/)).toBeNull();
  expect(screen.getByText("Show in the pool").getAttribute("href")).toBe(
    `/projects/7/pool?${ONLY}`,
  );
  fireEvent.click(screen.getByText("Export everything"));
  expect(link("Download COCO")).toBe("/api/projects/7/export?format=coco");
  expect(screen.getByLabelText("Labels as of")).toBeTruthy();
});
