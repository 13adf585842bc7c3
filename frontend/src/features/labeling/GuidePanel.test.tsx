import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { guidesQuery } from "../../api/guides";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { GuidePanel } from "./GuidePanel";

const { guide: text } = t.label;

const project = {
  ...{ id: 7, medium: "image", task: "classification", permissions: ["manage"], guidelines: "" },
  classes: [{ id: 1, name: "cat", colour: "#c33" }],
} as unknown as Project;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("leaves the focus at what was pinned while that is kept, and pins one at a time", async () => {
  const fetched = vi.fn(() => new Promise<Response>(() => {}));
  vi.stubGlobal("fetch", fetched);
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const example = (id: number) => ({
    ...{ example_id: id, image_url: `/api/examples/${id}/image?v=2` },
    ...{ excerpt: null, pinned: false },
  });
  client.setQueryData(guidesQuery(7).queryKey, {
    classes: [{ class_id: 1, guide: "", examples: [example(3), example(4)] }],
    ood: [],
  } as never);
  render(
    <QueryClientProvider client={client}>
      <GuidePanel project={project} exampleId={null} onClose={() => {}} />
    </QueryClientProvider>,
  );
  const user = userEvent.setup();
  const pin = screen.getByRole("button", { name: text.pin(3) });
  await user.click(pin);
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce());
  expect(document.activeElement).toBe(pin);
  expect(pin.isConnected).toBe(true);
  await user.click(screen.getByRole("button", { name: text.pin(4) }));
  expect(fetched).toHaveBeenCalledOnce();
});
