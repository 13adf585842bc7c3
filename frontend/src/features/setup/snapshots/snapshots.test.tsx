import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { snapshotDiffQuery, snapshotsQuery } from "../../../api/snapshots";
import type { Project } from "../../../api/types";
import { SnapshotsCard } from "./SnapshotsCard";

const item = (id: number, name: string) => ({
  ...{ id, name, author: null, taken_at: "2026-11-30T12:00:00Z", filters: null, digest: name },
  counts: { examples: 9, labeled: 4, no_objects: 2, ood: 3 },
});
const flow = {
  ...{ before_verdict: "label", before_class: null, before_no_objects: true },
  ...{ after_verdict: "ood", after_class: null, after_no_objects: false, examples: 3 },
};
const diff = {
  ...{ same: false, added: 0, gone: 0, relabeled: 3, other_origin: 0, unchanged: 6 },
  ...{ renamed: [], flows: [flow], items: [], next_cursor: null },
};

afterEach(cleanup);

it("calls what is none of what is looked for as its project does", async () => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const items = [item(2, "now"), item(1, "before")];
  client.setQueryData(snapshotsQuery(7).queryKey, { items, next_cursor: null } as never);
  const differs = { pages: [diff], pageParams: [null] };
  client.setQueryData(snapshotDiffQuery(7, "before", "now").queryKey, differs as never);
  const shown = (task: Project["task"]) => (
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={["/#snapshots"]}>
        <SnapshotsCard project={{ id: 7, task }} />
      </MemoryRouter>
    </QueryClientProvider>
  );
  const { rerender } = render(shown("classification"));
  expect(screen.getAllByText(/· 3 none of the classes$/)).toHaveLength(2);
  rerender(shown("boxes"));
  expect(screen.getAllByText(/· nothing in 2 of them · 3 wrong kind of image$/)).toHaveLength(2);
  screen.getByRole("button", { name: "Compare now" }).click();
  expect((await screen.findByText("Wrong kind of image")).previousSibling?.textContent).toBe(
    "Nothing in it",
  );
});
