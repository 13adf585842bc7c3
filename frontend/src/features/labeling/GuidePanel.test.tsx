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

const shown = (guides: object, of: Project) => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(guidesQuery(7).queryKey, guides as never);
  return render(
    <QueryClientProvider client={client}>
      <GuidePanel project={of} exampleId={null} onClose={() => {}} />
    </QueryClientProvider>,
  );
};
const example = (id: number, rest: object = {}) => ({
  ...{ example_id: id, image_url: `/api/examples/${id}/image?v=2`, width: 8, height: 8 },
  ...{ excerpt: null, pinned: false, whole_label: null, ...rest },
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("leaves the focus at what was pinned while that is kept, and pins one at a time", async () => {
  const fetched = vi.fn(() => new Promise<Response>(() => {}));
  vi.stubGlobal("fetch", fetched);
  const examples = [example(3), example(4)];
  shown({ classes: [{ class_id: 1, guide: "", examples }], ood: [] }, project);
  const user = userEvent.setup();
  const pin = screen.getByRole("button", { name: text.pin(3) });
  await user.click(pin);
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce());
  expect(document.activeElement).toBe(pin);
  expect(pin.isConnected).toBe(true);
  await user.click(screen.getByRole("button", { name: text.pin(4) }));
  expect(fetched).toHaveBeenCalledOnce();
});

it("draws the boxes of the class alone, and names the wrong kind of image as its button does", () => {
  const boxes = [1, 2, 1].map((id) => ({ class_id: id, x: 1, y: 1, w: 2, h: 2 }));
  const whole_label = { type: "boxes", boxes };
  const examples = [example(3, { whole_label }), example(4)];
  const { container } = shown(
    { classes: [{ class_id: 1, guide: "", examples }], ood: [] },
    { ...project, task: "boxes" },
  );
  expect(container.querySelectorAll("li")).toHaveLength(2);
  expect(container.querySelectorAll("rect")).toHaveLength(2);
  expect(screen.queryByText(t.label.ood)).toBeNull();
  expect(screen.getByRole("heading", { name: t.boxes.ood })).toBeDefined();
});
