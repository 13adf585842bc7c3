import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { algorithmsQuery } from "../../api/algorithms";
import { subsetsQuery } from "../../api/subsets";
import type { Algorithm, Job, Project, Subset } from "../../api/types";
import { JobStart } from "./JobStart";

const algorithm = {
  name: "relabel",
  kind: "job",
  title: "Relabel",
  of_texts: null,
  defaults: { epochs: 30, subset: null },
  params_schema: {
    properties: {
      epochs: { type: "integer", minimum: 1, maximum: 100 },
      subset: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
    },
  },
} as unknown as Algorithm;

const project = { id: 7, counts: { pool: 3 }, settings: { subset: 31 } } as unknown as Project;

const subsets = [
  { id: 31, method: "k_center", kept: 1200 },
  { id: 12, method: "uniform", kept: 3 },
] as Subset[];

/** Renders the form, and returns what gives it another catalog's defaults. */
function show(latest?: Partial<Job>) {
  const job = latest as Job | undefined;
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(subsetsQuery(project.id).queryKey, { items: subsets });
  client.setQueryData(algorithmsQuery.queryKey, {
    items: [{ kind: "pruning", name: "k_center", title: "k-center" } as Algorithm],
    isWorded: true,
  });
  const form = (defaults: Algorithm["defaults"]) => (
    <QueryClientProvider client={client}>
      <JobStart
        project={project}
        algorithm={{ ...algorithm, defaults }}
        latest={job}
        unfinished={job}
        again={false}
        onSettled={() => {}}
      />
    </QueryClientProvider>
  );
  const { rerender } = render(form(algorithm.defaults));
  return (defaults: Algorithm["defaults"]) => rerender(form(defaults));
}

const field = (name: string) =>
  screen.getByRole<HTMLInputElement>("textbox", { name, hidden: true });
const subset = () =>
  screen.getByRole<HTMLSelectElement>("combobox", { name: "Subset", hidden: true });
const main = () =>
  screen
    .getAllByRole("button")
    .filter((button) => button.className.includes("primary"))
    .map((button) => button.textContent);

// jsdom lays nothing out.
beforeEach(() => {
  Element.prototype.scrollIntoView = () => {};
});
afterEach(cleanup);

it("leads to the field that shows no value instead of starting with another", async () => {
  show();
  await userEvent.clear(field("Epochs"));
  await userEvent.type(field("Epochs"), "500");
  for (const name of ["Start", "Estimate"]) {
    await userEvent.click(screen.getByRole("button", { name }));
    expect(document.activeElement).toBe(field("Epochs"));
    field("Epochs").blur();
  }
  expect(field("Epochs").closest("details")?.open).toBe(true);
});

it("follows the defaults until something is changed", async () => {
  const change = show();
  change({ epochs: 60, subset: null });
  expect(field("Epochs").value).toBe("60");
  await userEvent.clear(field("Epochs"));
  await userEvent.type(field("Epochs"), "7");
  change({ epochs: 30, subset: null });
  expect(field("Epochs").value).toBe("7");
});

it("offers the subset that the project trains on, whatever the last job was given", () => {
  show({ state: "succeeded", params: { epochs: 5, subset: 12 } });
  expect(field("Epochs").value).toBe("5");
  expect(subset().value).toBe("31");
});

it("offers the subsets there are by method and size, and everything", async () => {
  show();
  expect([...subset().options].map((one) => one.text)).toEqual([
    "Everything labeled",
    "31: k-center, 1,200 kept",
    "12: uniform, 3 kept",
  ]);
  const sent = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}"));
  for (const [value, given] of [
    ["12", 12],
    ["null", null],
  ] as const) {
    await userEvent.selectOptions(subset(), value);
    await userEvent.click(screen.getByRole("button", { name: "Start" }));
    const request = sent.mock.lastCall?.[0] as Request;
    expect((await request.json()).params).toEqual({ epochs: 30, subset: given });
  }
});

it("goes on with what was given, and starts with what was changed", async () => {
  show({ state: "cancelled", dry_run: false, params: { epochs: 5, subset: 31 } });
  expect(main()).toEqual(["Go on"]);
  expect(screen.getByRole("button", { name: "Start afresh" })).toBeTruthy();
  await userEvent.type(field("Epochs"), "0");
  expect(main()).toEqual(["Start"]);
  expect(screen.queryByRole("button", { name: "Go on" })).toBeNull();
});

it.each([
  ["with everything", { epochs: 5, subset: null }, "null"],
  ["with another subset", { epochs: 5, subset: 12 }, "12"],
  ["without a parameter that came later", { subset: null }, "null"],
])("goes on %s, whatever the project trains on", async (_, params, chosen) => {
  show({ state: "cancelled", dry_run: false, params });
  expect(subset().value).toBe(chosen);
  expect(main()).toEqual(["Go on"]);
  expect(screen.getByText(/was stopped/)).toBeTruthy();
  await userEvent.selectOptions(subset(), "31");
  expect(main()).toEqual(["Start"]);
  expect(screen.queryByText(/was stopped/)).toBeNull();
});

it("starts with what was estimated, whatever the project trains on", () => {
  show({ state: "succeeded", dry_run: true, params: { epochs: 5, subset: null }, result: {} });
  expect(subset().value).toBe("null");
});

it("offers the subset that the project trains on after an estimate that was stopped", () => {
  show({ state: "cancelled", dry_run: true, params: { epochs: 5, subset: null } });
  expect(subset().value).toBe("31");
  expect(screen.queryByRole("button", { name: "Go on" })).toBeNull();
});

it("drops what the server refused once a field is edited, even to no valid value", async () => {
  show();
  const problem = { detail: "epochs: must be less." };
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json(problem, { status: 409 }),
  );
  for (const typed of ["1", "500"]) {
    await userEvent.click(screen.getByRole("button", { name: "Start" }));
    expect(await screen.findByText(problem.detail)).toBeDefined();
    await userEvent.type(field("Epochs"), typed);
    expect(screen.queryByText(problem.detail)).toBeNull();
    await userEvent.clear(field("Epochs"));
    await userEvent.type(field("Epochs"), "5");
  }
});

it("says before a job that trains for long that its time can be measured, until it was", () => {
  show();
  expect(screen.getByText(/“Estimate” measures it here first/)).toBeTruthy();
  cleanup();
  show({
    ...{ state: "succeeded", dry_run: true, params: { epochs: 30, subset: 31 }, error: null },
    result: {
      estimate: {
        seconds: 60,
        memory_bytes: 1e9,
        device: "cpu",
        labeled: 3,
        phases: {},
        notes: [],
      },
    },
  } as unknown as Job);
  expect(screen.queryByText(/“Estimate” measures it here first/)).toBeNull();
});
