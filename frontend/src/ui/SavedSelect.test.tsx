import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SavedSelect } from "./SavedSelect";

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const ROLES = ["annotator", "reviewer", "manager"];

/** A role that the server holds, and how what is sent to it ends. */
function open() {
  const sent: { role: string; ends: (fault?: Error) => void }[] = [];
  const save = (role: string) =>
    new Promise<void>((done, fail) => {
      sent.push({ role, ends: (fault) => (fault ? fail(fault) : done()) });
    });
  const { unmount } = render(
    <QueryClientProvider client={new QueryClient()}>
      <SavedSelect label="Role" value="annotator" save={save} onSettled={() => {}}>
        {ROLES.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </SavedSelect>
    </QueryClientProvider>,
  );
  const field = screen.getByLabelText<HTMLSelectElement>("Role");
  const point = (value: string) => {
    fireEvent.pointerDown(field);
    fireEvent.change(field, { target: { value } });
  };
  const choose = (value: string) => {
    fireEvent.keyDown(field, { key: "ArrowDown" });
    fireEvent.change(field, { target: { value } });
  };
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  return { sent, field, choose, point, wait, unmount };
}

it("saves what is chosen once the keys rest, and nothing on the way there", async () => {
  const { sent, field, choose, wait } = open();
  choose("reviewer");
  await wait(500);
  choose("manager");
  await wait(5_000);
  expect(sent.map(({ role }) => role)).toEqual(["manager"]);
  expect([field.value, field.disabled]).toEqual(["manager", false]);
});

it("saves at once what is pointed at, and what was chosen when its page goes", async () => {
  const { sent, choose, point, wait, unmount } = open();
  point("reviewer");
  await wait(0);
  expect(sent.map(({ role }) => role)).toEqual(["reviewer"]);
  sent[0]?.ends();
  await wait(0);
  choose("manager");
  unmount();
  await wait(0);
  expect(sent.map(({ role }) => role)).toEqual(["reviewer", "manager"]);
});

it.each([
  ["it is left", (field: HTMLElement) => fireEvent.blur(field)],
  ["Enter", (field: HTMLElement) => fireEvent.keyDown(field, { key: "Enter" })],
])("saves at once by %s, and shows what holds where that fails", async (_, end) => {
  const { sent, field, choose, wait } = open();
  choose("manager");
  end(field);
  await wait(0);
  expect(sent.map(({ role }) => role)).toEqual(["manager"]);
  sent[0]?.ends(new Error("Too busy."));
  await wait(0);
  expect(field.value).toBe("annotator");
  expect(screen.getByText("Too busy.")).toBeDefined();
  await wait(5_000);
  expect(sent).toHaveLength(1);
});
