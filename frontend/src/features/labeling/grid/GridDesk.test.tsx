import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useSyncExternalStore } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Project } from "../../../api/types";
import { FakeServer } from "../../../test/fakeServer";
import { MemoryOutbox } from "../queue/outbox";
import { AnswerSender } from "../queue/sender";
import { Stopwatch } from "../queue/stopwatch";
import { GridDesk } from "./GridDesk";
import { GridSession } from "./session";

const project = {
  ...{ id: 1, medium: "image", classes_version: 1, guidelines: "" },
  classes: [{ id: 3, name: "cat", hotkey: "1", colour: "#123456" }],
} as unknown as Project;
const ENTER = { key: "Enter" };
const open: (() => void)[] = [];

function Desk({ session }: { session: GridSession }) {
  const view = useSyncExternalStore(session.subscribe, session.getView);
  const nothing = () => {};
  return (
    <GridDesk
      project={project}
      session={session}
      view={view}
      density={20}
      guide={false}
      onDensity={nothing}
      onHelp={nothing}
      onGuide={nothing}
      onPause={nothing}
      onCloseGuide={nothing}
    />
  );
}

/** A page of four images that the model takes for cats, and the verdicts that arrive. */
async function show() {
  const server = new FakeServer(4);
  server.predictions = () => ({ predicted_class_id: 3, probability: 0.9 });
  const sender = new AnswerSender({
    userId: 7,
    outbox: new MemoryOutbox(),
    api: server,
    exclusive: (work) => work(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
  });
  const session = new GridSession({
    ...{ projectId: 1, userId: 7, client: "tab", openTabs: async () => ["tab"], size: 20 },
    ...{ api: server, sender, stopwatch: new Stopwatch() },
  });
  session.start();
  void sender.start();
  open.push(
    () => session.stop(),
    () => sender.stop(),
  );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Desk session={session} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(4));
  const judged = () => server.taken.map(({ query_id, verdict }) => [query_id, verdict]);
  return { judged };
}

/** The picture in a tile. */
const picture = (id: number) =>
  document.querySelector<HTMLImageElement>(`[data-tile="${id}"] img`) as HTMLImageElement;
const press = (init: { key: string }) => fireEvent.keyDown(document.body, init);

afterEach(() => {
  cleanup();
  for (const close of open.splice(0)) close();
  sessionStorage.clear();
});

it("judges of a group what has come up, and leaves the rest in it", async () => {
  const { judged } = await show();
  press(ENTER);
  press({ key: "1" });
  expect(await screen.findByText(/^1 is left: it was not shown yet/)).toBeDefined();
  for (const id of [1, 2, 4]) fireEvent.load(picture(id));
  press(ENTER);
  await waitFor(() => expect(judged()).toEqual([1, 2, 4].map((id) => [id, "label"])));
  expect(await screen.findByText(/3 images: cat.*1 is left/)).toBeDefined();
  fireEvent.load(picture(3));
  press(ENTER);
  await waitFor(() => expect(judged()).toHaveLength(4));
});

it("takes what the browser had already for shown", async () => {
  vi.spyOn(HTMLImageElement.prototype, "complete", "get").mockReturnValue(true);
  vi.spyOn(HTMLImageElement.prototype, "naturalWidth", "get").mockReturnValue(8);
  const { judged } = await show();
  press(ENTER);
  await waitFor(() => expect(judged()).toHaveLength(4));
});

it("says what could not be loaded, and gets it again; until then it can be put off", async () => {
  const { judged } = await show();
  const before = picture(1);
  fireEvent.error(before);
  const failed = screen.getByRole("option", { name: /^1.png: Could not/ });
  press({ key: "1" });
  fireEvent.click(failed);
  expect(picture(1)).not.toBe(before);
  expect(screen.queryByRole("option", { name: /Could not/ })).toBeNull();
  fireEvent.error(picture(1));
  const again = picture(1);
  fireEvent(window, new Event("online"));
  expect(picture(1)).not.toBe(again);
  press({ key: "s" });
  await waitFor(() => expect(judged()).toEqual([[1, "skip"]]));
});
