import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Judgement, Project } from "../../api/types";
import { t } from "../../strings";
import { PoolScreen } from "./PoolScreen";

const classes = [
  { id: 3, name: "cat", hotkey: "1", colour: "#aa0000" },
  { id: 4, name: "jay", hotkey: "j", colour: "#00aa00" },
];
const ME = 9;
const text = t.pool.byHand;

type Said = { class_id: number | null; verdict: string; call: string };

/** As the server has it: what was said of each image, the last of which counts. */
let said: Record<number, Said[]> = {};
let asked: Judgement[] = [];
/** Of which image nothing is taken now, and why. */
let leased: number | null = null;
/** How often the server has read one image, and what its answers wait for. */
let reads = 0;
let answers = Promise.resolve();

const STATES: Record<string, string> = { label: "labeled", ood: "ood", unsure: "unsure" };

function example(id: number) {
  const history = said[id] ?? [];
  const last = history.at(-1);
  const annotations = history.map(({ call, ...one }, index) => ({
    ...{ id: `${id}/${call}`, source: "review", annotator: "Ann", annotator_id: ME, job_id: null },
    ...{ ...one, label: null, holds: index === history.length - 1, counted: true, seconds: 0 },
    ...{ superseded_by: null, seen_as: null, lot: null, round: null, probability: null },
    created_at: "2026-11-30T12:00:00Z",
  }));
  return {
    ...{ id, name: `${id}.png`, split: "pool", state: STATES[last?.verdict ?? ""] ?? "unlabeled" },
    ...{ label_class_id: last?.class_id ?? null, whole_label: null, excerpt: null, fields: null },
    ...{ label: null, meta: {}, places: [], annotations, width: 32, height: 32, bytes: 99 },
    ...{ pool_index: id, predicted_class_id: null, in_probability: null, duplicates_of: null },
    ...{ purity: null, informativeness: null, meta_score: null, location: null, import_id: null },
    image_url: `/api/examples/${id}/image`,
  };
}

function judge(body: Judgement) {
  asked.push(body);
  const ids = (body.ids ?? []).filter((id) => id !== leased);
  const call = `call ${asked.length}`;
  for (const id of ids) {
    const before = said[id] ?? [];
    const verdict = { verdict: body.verdict, class_id: body.class_id ?? null, call };
    if (body.verdict !== "skip") said[id] = [...before, verdict];
    else said[id] = body.undoes ? before.filter((one) => one.call !== body.undoes) : [];
  }
  const left_out = leased !== null && body.ids?.includes(leased) ? { looked_at: 1 } : {};
  return { example_ids: ids, again: 0, moved: 0, left_out, round: null, call };
}

beforeEach(() => {
  [said, asked, leased, reads, answers] = [{}, [], null, 0, Promise.resolve()];
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  // jsdom lays nothing out, and a grid without a width shows nothing.
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(600);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname } = new URL(request.url);
    const one = /examples\/(\d+)$/.exec(pathname)?.[1];
    if (one) {
      const read = example(Number(one));
      reads += 1;
      await answers;
      return Response.json(read);
    }
    if (pathname.endsWith("/verdict")) return Response.json(judge(await request.json()));
    if (pathname.endsWith("/auth/me")) return Response.json({ id: ME });
    if (pathname.endsWith("/count")) return Response.json({ count: 2, exact: true });
    if (pathname.endsWith("/projects/7/examples")) {
      const items = [1, 2].map(example);
      return Response.json({ items, next_cursor: null, scores_round: null, searched: 1 });
    }
    return Response.json({}, { status: 404 });
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function show(address: string) {
  const project = {
    ...{ id: 7, medium: "image", task: "classification", classes, counts: { pool: 2 } },
    settings: {},
  } as unknown as Project;
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[address]}>
        <PoolScreen project={project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const verdicts = () => screen.findByRole("group", { name: t.label.verdicts });
const key = (name: string, code = `Key${name.toUpperCase()}`) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, code });
const pressed = async (name: string) =>
  within(await verdicts()).findByRole("button", { name, pressed: true });

/** Gives what is selected a class. */
async function labelAs(name: string, count: string): Promise<void> {
  fireEvent.click(await screen.findByRole("button", { name: text.many.action }));
  const dialog = within(screen.getByRole("dialog", { name: text.many.title(count) }));
  const confirm = dialog.getByRole("button", { name: text.many.confirm }) as HTMLButtonElement;
  expect(confirm.disabled).toBe(true);
  const [option] = dialog.getAllByRole("option", { name }) as HTMLOptionElement[];
  fireEvent.change(dialog.getByRole("combobox"), { target: { value: option?.value } });
  fireEvent.click(confirm);
}

it("says by one key what the image is that is shown large, and takes back what was said last", async () => {
  show("/?image=1");
  await verdicts();
  const grid = await screen.findByRole("listbox", { name: t.pool.grid });
  grid.focus();
  key("1", "Digit1");
  await pressed("cat");
  await waitFor(() => expect(within(grid).getByText("cat")).toBeDefined());
  // The keys of the grid are those of the verdicts meanwhile.
  key("x");
  await pressed(t.label.ood);
  key("j");
  await pressed("jay");
  expect(screen.queryByRole("toolbar")).toBeNull();
  expect(within(grid).getAllByRole("option", { selected: false })).toHaveLength(2);
  key("u");
  await pressed(t.label.ood);
  await waitFor(() => expect(within(grid).queryByText("jay")).toBeNull());
  const [cat, none, , undone] = asked;
  expect([cat?.class_id, none?.verdict]).toEqual([3, "ood"]);
  expect(undone).toMatchObject({ ids: [1], verdict: "skip", undoes: "call 3" });
  // Nothing more was said on this page: all that the user has said of it goes.
  key("u");
  await waitFor(() => expect(said[1]).toEqual([]));
  expect(screen.queryByRole("button", { pressed: true, name: t.label.ood })).toBeNull();
});

it.each([
  ["nothing", []],
  ["something", [{ class_id: 3, verdict: "label", call: "before" }]],
])(
  "takes back what is still on its way, where %s was said before, and only once",
  async (_, before) => {
    said[1] = [...before];
    show("/?image=1");
    await verdicts();
    key("x");
    key("u");
    key("u");
    await waitFor(() => expect(asked).toHaveLength(2));
    await screen.findByText(text.takenBack);
    expect(asked.map(({ undoes }) => undoes)).toEqual([undefined, "call 1"]);
    expect(said[1]).toEqual(before);
  },
);

it("shows what an image is once it is taken back, whatever was read before, and reads it once", async () => {
  show("/?image=1");
  await verdicts();
  const grid = await screen.findByRole("listbox", { name: t.pool.grid });
  // Those that come next are read ahead.
  await waitFor(() => expect(reads).toBe(2));
  let answer = () => {};
  answers = new Promise((resolve) => {
    answer = resolve;
  });
  key("1", "Digit1");
  await within(grid).findByText("cat");
  await waitFor(() => expect(reads).toBe(3));
  key("u");
  await waitFor(() => expect(said[1]).toEqual([]));
  answer();
  await screen.findByText(text.takenBack);
  await waitFor(() => expect(within(grid).queryByText("cat")).toBeNull());
  expect(reads).toBe(4);
});

it("takes back what was said of many, where that came last", async () => {
  show("/?image=1");
  await verdicts();
  key("x");
  await pressed(t.label.ood);
  (await screen.findByRole("listbox", { name: t.pool.grid })).focus();
  key(" ", "Space");
  await labelAs("jay", "1 image");
  await pressed("jay");
  key("u");
  await pressed(t.label.ood);
  expect(asked.at(-1)).toMatchObject({ ids: [1], verdict: "skip", undoes: "call 2" });
  expect(screen.queryByRole("alert")).toBeNull();
});

it("tells of a verdict that was not taken, though one has gone on", async () => {
  leased = 1;
  show("/?image=1");
  await verdicts();
  key("1", "Digit1");
  key("ArrowRight", "ArrowRight");
  await screen.findByRole("heading", { name: "2.png" });
  const told = await screen.findByRole("alert");
  expect(told.textContent).toContain(text.refused("1.png"));
  expect(told.textContent).toContain(text.reasons.looked_at);
  key("Escape", "Escape");
  // It leads back, and is gone when it has been said after all.
  fireEvent.click(await screen.findByRole("button", { name: text.show }));
  leased = null;
  await screen.findByRole("heading", { name: "1.png" });
  await verdicts();
  key("1", "Digit1");
  await pressed("cat");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says the same of all that are selected, and undoes that", async () => {
  said[2] = [{ class_id: 3, verdict: "label", call: "before" }];
  show("/");
  const grid = await screen.findByRole("listbox", { name: t.pool.grid });
  await within(grid).findByText("cat");
  grid.focus();
  key("x");
  key("ArrowRight", "ArrowRight");
  key("x");
  await labelAs("jay", "2 images");
  expect(await screen.findByText(text.many.done("jay", 2))).toBeDefined();
  expect(within(grid).getAllByText("jay")).toHaveLength(2);
  fireEvent.click(screen.getByRole("button", { name: t.pool.undo }));
  expect(await screen.findByText(text.many.takenBack(2))).toBeDefined();
  await within(grid).findByText("cat");
  expect(asked.at(-1)).toMatchObject({ ids: [1, 2], verdict: "skip", undoes: "call 1" });
});
