import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { InputSize, InputSizeField, type Seen } from "./InputSizeField";

const project = (seen: Seen) =>
  ({ id: 7, counts: { pool: 3 }, settings: seen }) as unknown as Project;

const job = (given: Partial<Job>): Job =>
  ({ id: 3, kind: "resize", state: "succeeded", dry_run: false, error: null, ...given }) as Job;

/** Renders the field of a project whose images have a size, or that has none; returns changes. */
function show(size: number | null, jobs: Job[] = []): Seen[] {
  const seen: Seen = { input_size: size, fit: "crop" };
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(jobsOfKindQuery(7, "resize").queryKey, { items: jobs, next_cursor: null });
  const changes: Seen[] = [];
  render(
    <QueryClientProvider client={client}>
      <InputSizeField
        project={project(seen)}
        hasImages={size !== null}
        value={seen}
        onChange={(value) => changes.push(value)}
      />
    </QueryClientProvider>,
  );
  return changes;
}

const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Model input size" });
const sees = () => screen.getByRole("combobox", { name: "Models see" });
const panel = () => screen.queryByRole("region", { name: "Resize images" });
const type = async (text: string) => {
  await userEvent.clear(field());
  await userEvent.type(field(), text);
};

afterEach(cleanup);

it("is a setting that may be empty while there are no images", async () => {
  const changes = show(null);
  expect(field().value).toBe("");
  expect(field().placeholder).toBe("Chosen by the first import");
  await userEvent.type(field(), "64");
  await userEvent.clear(field());
  expect(changes.map((one) => one.input_size)).toEqual([64, null]);
  await userEvent.selectOptions(sees(), "The whole image");
  expect(changes.at(-1)).toEqual({ input_size: null, fit: "pad" });
  expect(panel()).toBeNull();
});

it("says before an import that all of each image is seen", () => {
  const choice = { width: 480, height: 360, images: 9, side: 160, fit: "pad" } as const;
  render(
    <InputSize value={{ input_size: null, fit: "pad" }} choice={choice} onChange={() => {}} />,
  );
  expect(
    screen.getByText(/480 × 360; the model will see all of each within 160 × 160/),
  ).toBeTruthy();
});

it("offers to resize the images once another size stands in it, and changes no setting", async () => {
  const changes = show(32);
  expect(field().value).toBe("32");
  expect(panel()).toBeNull();
  await type("128");
  expect(panel()?.textContent).toContain("From 32 × 32 to 128 × 128");
  expect(screen.getByRole("button", { name: "Resize images" })).toBeTruthy();
  await type("32");
  expect(panel()).toBeNull();
  await type("4");
  expect(field().getAttribute("aria-invalid")).toBe("true");
  await type("32");
  await userEvent.selectOptions(sees(), "The whole image");
  expect(panel()?.textContent).toContain("From the middle square to the whole image");
  expect(screen.getByText(/made smaller until all of it fits/)).toBeTruthy();
  await type("64");
  expect(panel()?.textContent).toContain("to the whole image; from 32 × 32 to 64 × 64");
  expect(changes).toEqual([]);
});

it("goes on with what ended early for the same size only", async () => {
  show(32, [job({ state: "cancelled", params: { input_size: 128 } })]);
  await type("128");
  expect(screen.getByRole("button", { name: "Go on" })).toBeTruthy();
  await type("64");
  expect(screen.getByRole("button", { name: "Resize images" })).toBeTruthy();
});

it("shows what an estimate has found for the size that stands there", async () => {
  const estimate = { seconds: 90, memory_bytes: 2 ** 30, device: "CPU", labeled: 1000, phases: {} };
  const result = { estimate: { ...estimate, notes: ["The next round embeds every image again."] } };
  show(32, [job({ dry_run: true, params: { input_size: 128 }, result })]);
  await type("64");
  expect(panel()?.textContent).not.toContain("for 1,000 images");
  await type("128");
  await userEvent.selectOptions(sees(), "The whole image");
  expect(panel()?.textContent).not.toContain("for 1,000 images");
  await userEvent.selectOptions(sees(), "The middle square");
  expect(panel()?.textContent).toContain("for 1,000 images");
  expect(panel()?.textContent).toContain("embeds every image again");
});

it("follows the job that is at work, whatever stands in the field", () => {
  show(32, [job({ state: "queued", message: null, progress: null, params: { input_size: 96 } })]);
  expect(panel()?.textContent).toContain("From 32 × 32 to 96 × 96");
  expect(screen.getByRole("button", { name: "Stop" })).toBeTruthy();
});
