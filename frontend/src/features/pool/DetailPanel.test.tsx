import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { exampleQuery } from "../../api/pool";
import type { Example, ExampleDetail, Project } from "../../api/types";
import { PageOfMedium } from "../../media/MediumContext";
import { DetailPanel } from "./DetailPanel";
import { GRID_ID } from "./PoolGrid";

const project = { id: 7, medium: "text", classes: [] } as unknown as Project;
const example = {
  id: 2,
  name: "letter.txt",
  image_url: "/api/examples/2/image",
  excerpt: "As long as a letter is.",
  state: "unlabeled",
  split: "pool",
  width: null,
  height: null,
  bytes: 23,
  pool_index: 1,
  duplicates_of: null,
  whole_label: null,
  label: null,
  predicted_class_id: null,
  purity: null,
  informativeness: null,
  meta_score: null,
  location: null,
  import_id: null,
  meta: {},
  annotations: [],
  places: [],
} as unknown as ExampleDetail;

afterEach(cleanup);

function show(onShow: (id: number | null) => void) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(exampleQuery(project.id, example.id).queryKey, example);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <PageOfMedium medium="text">
          <div id={GRID_ID} tabIndex={-1} />
          <DetailPanel
            project={project}
            id={2}
            examples={[{ id: 1 }, { id: 2 }, { id: 3 }] as Example[]}
            marked={[]}
            calls={new Map()}
            onShow={onShow}
            onWithdrawn={() => {}}
            onSimilar={() => {}}
          />
        </PageOfMedium>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it("leaves arrows up and down to a long text that has the focus", () => {
  const onShow = vi.fn();
  show(onShow);
  const text = screen.getByRole("region", { name: "letter.txt" });
  // One that is all in sight has nothing to do with the keys.
  fireEvent.keyDown(text, { key: "ArrowUp" });
  expect(onShow).toHaveBeenLastCalledWith(1);
  // jsdom lays nothing out: longer than there is room for.
  Object.defineProperty(text, "scrollHeight", { value: 2000 });
  for (const key of ["ArrowUp", "ArrowDown"]) expect(fireEvent.keyDown(text, { key })).toBe(true);
  expect(onShow).toHaveBeenCalledTimes(1);
  // As it is typed with Korean letters.
  fireEvent.keyDown(document.body, { key: "ㅏ", code: "KeyK" });
  expect(onShow).toHaveBeenLastCalledWith(1);
  fireEvent.keyDown(text, { key: "ArrowRight" });
  expect(onShow).toHaveBeenLastCalledWith(3);
});

it("gives the focus back to the images where Escape closes it", () => {
  const onShow = vi.fn();
  show(onShow);
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(onShow).toHaveBeenCalledExactlyOnceWith(null);
  expect(document.activeElement?.id).toBe(GRID_ID);
});
