import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { meQuery } from "../../api/auth";
import type { ExampleDetail, Judgement, Project } from "../../api/types";
import { t } from "../../strings";
import { draftName, keepNote } from "../../tasks/drafts";
import { BoxDesk } from "./BoxDesk";
import { useVerdicts } from "./useVerdicts";

const text = t.pool.byHand;
const box = { class_id: 3, x: 2, y: 2, w: 20, h: 20, occluded: true, difficult: false };
const kept = { ...box, ...{ truncated: false, crowd: false, origin: "kept", proposal: 4 } };
const project = {
  ...{ id: 7, medium: "image", task: "boxes" },
  classes: [{ id: 3, name: "car", hotkey: "1", colour: "#aa0000" }],
} as unknown as Project;
const example = {
  ...{ id: 1, name: "1.png", state: "labeled", label_class_id: null, width: 64, height: 48 },
  ...{ image_url: "/api/examples/1/image", annotations: [] },
  whole_label: { type: "boxes", boxes: [{ ...kept, given: null }], threshold: 0.5 },
} as unknown as ExampleDetail;

let asked: Judgement[] = [];
let left_out: Record<string, number> = {};

beforeEach(() => {
  [asked, left_out] = [[], {}];
  sessionStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  // jsdom shows no images.
  HTMLImageElement.prototype.decode = () => Promise.resolve();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const request = input as Request;
    if (!request.url.endsWith("/verdict")) return Response.json({}, { status: 404 });
    asked.push(await request.json());
    const example_ids = Object.keys(left_out).length > 0 ? [] : [1];
    return Response.json({ example_ids, again: 0, moved: 0, left_out, round: null, call: "c" });
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function Opened({ onClose }: { onClose: () => void }) {
  const verdicts = useVerdicts(project, new Map());
  return <BoxDesk project={project} example={example} verdicts={verdicts} onClose={onClose} />;
}

async function open() {
  const onClose = vi.fn();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(meQuery.queryKey, { id: 9 } as never);
  render(
    <QueryClientProvider client={client}>
      <Opened onClose={onClose} />
    </QueryClientProvider>,
  );
  await waitFor(() => expect(sends().disabled).toBe(false));
  return onClose;
}

const sends = () => screen.getByRole("button", { name: t.boxes.send(1) }) as HTMLButtonElement;
const key = (name: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });
/** Makes a place of the box that is there. */
function move(): void {
  fireEvent.focus(screen.getByRole("application"));
  screen.getByRole("application").focus();
  key("Tab");
  key("ArrowRight");
}
const asks = () => screen.queryByRole("dialog", { name: text.leave.title }) !== null;
/** First nothing is chosen any more, then no class is in hand, and the stage has not the focus. */
function leave(isOut: () => boolean): void {
  for (let step = 0; step < 4 && !isOut(); step += 1) key("Escape");
  expect(isOut()).toBe(true);
}

it("sends all boxes as they are now, flags too, and nothing of proposals that were another's", async () => {
  const onClose = await open();
  move();
  key("Enter");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  const { proposal: _, ...plain } = { ...kept, x: 3, origin: "drawn" };
  const label = { type: "boxes", boxes: [{ ...plain, proposal: null, given: null }] };
  expect(asked).toEqual([{ ids: [1], verdict: "label", label: { ...label, threshold: null } }]);
  expect(sessionStorage.length).toBe(0);
});

it("keeps what was made where it is not taken, and says why", async () => {
  left_out = { looked_at: 1 };
  const onClose = await open();
  key("m");
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "cut off" } });
  key("Enter");
  expect(asked).toEqual([]);
  move();
  key("Enter");
  expect((await screen.findByRole("alert")).textContent).toContain(text.reasons.looked_at);
  expect(onClose).not.toHaveBeenCalled();
  left_out = {};
  await waitFor(() => expect(sends().disabled).toBe(false));
  key("Enter");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(asked[1]).toEqual(asked[0]);
  expect(asked[0]?.note).toBe("cut off");
  keepNote(draftName(9, 1, "pool"), null);
});

it("sends a note with the boxes that stand, and nothing where there is neither", async () => {
  const onClose = await open();
  key("Enter");
  expect(onClose).toHaveBeenCalledOnce();
  expect(asked).toEqual([]);
  key("m");
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "cut off" } });
  key("Enter");
  expect(onClose).toHaveBeenCalledOnce();
  key("Enter");
  await waitFor(() => expect(onClose).toHaveBeenCalledTimes(2));
  expect(asked).toMatchObject([{ ids: [1], verdict: "label", note: "cut off" }]);
  keepNote(draftName(9, 1, "pool"), null);
});

it("leaves at once where nothing was changed, and asks where something was", async () => {
  const onClose = await open();
  leave(() => onClose.mock.calls.length > 0);
  move();
  leave(asks);
  const dialog = within(screen.getByRole("dialog", { name: text.leave.title }));
  fireEvent.click(dialog.getByRole("button", { name: t.common.cancel }));
  expect(asks()).toBe(false);
  leave(asks);
  expect(onClose).toHaveBeenCalledOnce();
  fireEvent.click(screen.getByRole("button", { name: text.leave.action }));
  expect(onClose).toHaveBeenCalledTimes(2);
  expect(asked).toEqual([]);
  cleanup();
  expect(sessionStorage.length).toBe(0);
});
