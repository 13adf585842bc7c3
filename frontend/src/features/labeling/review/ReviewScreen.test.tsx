import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Project, Suggestion, User } from "../../../api/types";
import { t } from "../../../strings";
import { AWAY_MS } from "../queue/stopwatch";
import { SenderProvider } from "../SenderProvider";
import { ReviewScreen } from "./ReviewScreen";

const user = { id: 3 } as User;
const project = {
  id: 7,
  name: "Digits",
  task: "classification",
  medium: "image",
  classes: ["cat", "dog", "bird"].map((name, index) => ({ id: index + 1, name, hotkey: null })),
} as unknown as Project;

function fail(status: number) {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ detail: "Said by the server." }, { status }),
  );
  show();
}

function show(of: Project = project) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <SenderProvider user={user}>
          <ReviewScreen
            user={user}
            project={of}
            jobId={999}
            manages
            back="/"
            missing={<p>Nothing here</p>}
          />
        </SenderProvider>
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

// jsdom has no pointers to ask for.
beforeEach(() => void vi.stubGlobal("matchMedia", () => ({ matches: false })));

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("shows no desk for a review that there is not", async () => {
  fail(404);
  expect(await screen.findByText("Nothing here")).toBeDefined();
  expect(screen.queryAllByRole("button")).toEqual([]);
});

it("lets one try again after another failure", async () => {
  fail(409);
  expect(await screen.findByRole("button", { name: "Try again" })).toBeDefined();
  expect(screen.queryByText("Nothing here")).toBeNull();
});

/** A server with two suggestions, and images that come, or do not, as one says. */
function open(of: Project = project, labels: Partial<Suggestion> = {}) {
  const decided: string[] = [];
  const items = [1, 2].map((id) => ({
    ...{ id, example_id: id, image_url: `/images/${id}`, name: `${id}.png`, votes: [] },
    ...{ width: 8, height: 8, given_class_id: 1, suggested_class_id: 2, decision: null },
    ...labels,
  })) as unknown as Suggestion[];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === "GET") return Response.json({ items: [] });
    if (!request.url.endsWith("/decisions"))
      return Response.json({ items, expires_at: new Date(Date.now() + 600_000).toISOString() });
    const { decisions } = await request.clone().json();
    decided.push(...decisions.map(({ decision }: { decision: string }) => decision));
    const results = decisions.map(({ key }: { key: string }) => ({ key, status: "accepted" }));
    return Response.json({ results });
  });
  const images: { comes: () => void; fails: (why: Error) => void }[] = [];
  HTMLImageElement.prototype.decode = () =>
    new Promise((comes, fails) => {
      images.push({ comes, fails });
    });
  show(of);
  return { decided, images };
}

const button = (name: RegExp) => screen.getByRole<HTMLButtonElement>("button", { name });

it("takes no decision on an image that has not come up", async () => {
  const { decided, images } = open();
  await waitFor(() => expect(images).toHaveLength(2));
  expect([/cat/, /bird/, /Unsure/, /Find/].map((name) => button(name).disabled)).toEqual(
    Array(4).fill(true),
  );
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  fireEvent.keyDown(document.body, { key: "q" });
  await act(async () => images[0]?.comes());
  expect(button(/cat/).disabled).toBe(false);
  fireEvent.keyDown(document.body, { key: "ArrowLeft" });
  await waitFor(() => expect(decided).toEqual(["keep"]));
});

it("lets one be unsure of what cannot be shown, and nothing else", async () => {
  const { decided, images } = open();
  await waitFor(() => expect(images).toHaveLength(2));
  await act(async () => images[0]?.fails(new Error("no image")));
  expect(button(/cat/).disabled).toBe(true);
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  fireEvent.click(button(/Unsure/));
  await waitFor(() => expect(decided).toEqual(["unsure"]));
});

it("takes a class of boxes that was found into the hand; a label of boxes is not OOD", async () => {
  const label = { type: "boxes" as const, threshold: null, boxes: [] };
  const classes = { given_class_id: null, suggested_class_id: null };
  const labels = { ...classes, given_label: label, suggested_label: label };
  const { decided, images } = open({ ...project, task: "boxes" }, labels);
  await waitFor(() => expect(images).toHaveLength(2));
  await act(async () => images[0]?.comes());
  fireEvent.keyDown(document.body, { key: "f" });
  const field = await screen.findByRole("combobox");
  fireEvent.change(field, { target: { value: "bird" } });
  fireEvent.keyDown(field, { key: "Enter" });
  expect(button(/bird/).getAttribute("aria-pressed")).toBe("true");
  fireEvent.keyDown(document.body, { key: "x" });
  await waitFor(() => expect(decided).toEqual(["ood"]));
});

/** The same server, where both suggestions are one group, and what shows an image. */
async function openGroup() {
  const { decided } = open();
  fireEvent.click(await screen.findByRole("radio", { name: "Groups" }));
  await waitFor(() =>
    expect(screen.getAllByRole("button", { name: /^Decide on/ })).toHaveLength(2),
  );
  const tile = (id: number) => button(new RegExp(`^Decide on ${id}.png`));
  const picture = (id: number) => tile(id).querySelector("img") as HTMLImageElement;
  return { decided, tile, picture };
}

it("takes no decision on a group whose images have not come up", async () => {
  const { decided, picture } = await openGroup();
  fireEvent.load(picture(1));
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  expect(button(/cat/).disabled).toBe(true);
  fireEvent.load(picture(2));
  fireEvent.keyDown(document.body, { key: "ArrowLeft" });
  await waitFor(() => expect(decided).toEqual(["keep", "keep"]));
});

it("leaves out of a group what cannot be shown, until it can", async () => {
  const { decided, tile, picture } = await openGroup();
  fireEvent.load(picture(1));
  fireEvent.error(picture(2));
  expect(tile(2).getAttribute("aria-pressed")).toBe("false");
  fireEvent.click(tile(2));
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  fireEvent.error(picture(2));
  fireEvent.keyDown(document.body, { key: "ArrowLeft" });
  await waitFor(() => expect(decided).toEqual(["keep"]));
});

it("says that it pauses where nobody was there, and takes the next key for no decision", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const { decided, images } = open();
  await waitFor(() => expect(images).toHaveLength(2));
  await act(async () => images[0]?.comes());
  act(() => void vi.advanceTimersByTime(2 * AWAY_MS));
  expect(screen.getByText(t.label.pause.away.title)).toBeDefined();
  fireEvent.keyDown(document.body, { key: "ArrowRight" });
  expect(screen.queryByText(t.label.pause.away.title)).toBeNull();
  fireEvent.keyDown(document.body, { key: "ArrowLeft" });
  await waitFor(() => expect(decided).toEqual(["keep"]));
});
