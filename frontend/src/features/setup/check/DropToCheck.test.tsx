import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { t } from "../../../strings";
import DropToCheck from "./DropToCheck";

beforeEach(() => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <DropToCheck />
      </MemoryRouter>
    </QueryClientProvider>,
  );
});
afterEach(cleanup);

const take = (file: File) =>
  fireEvent.change(screen.getByLabelText(t.setup.chooseFile), { target: { files: [file] } });
const asks = (name: string) => screen.findByText(t.check.what(name));

it("asks about what came last, however long what came before takes to be read", async () => {
  const slow = new File(["text,label\n"], "slow.csv");
  const start = slow.slice();
  let read = () => {};
  const whole = new Promise<Blob>((resolve) => {
    read = () => resolve(start);
  });
  const slice = { arrayBuffer: async () => (await whole).arrayBuffer() };
  vi.spyOn(slow, "slice").mockReturnValue(slice as Blob);
  take(slow);
  take(new File(["text,label\n"], "quick.csv"));
  await asks("quick.csv");
  read();
  await act(async () => {
    await new Promise((settled) => setTimeout(settled));
  });
  expect(screen.queryByText(t.check.what("slow.csv"))).toBeNull();
  await asks("quick.csv");
});

it("keeps nothing for the next data set of what was said of the one before", async () => {
  const isInstructions = () =>
    screen.getByRole<HTMLInputElement>("radio", { name: /^Instructions/ });
  take(new File([], "a.tar"));
  await asks("a.tar");
  fireEvent.click(isInstructions());
  expect(isInstructions().checked).toBe(true);
  take(new File([], "b.tar"));
  await asks("b.tar");
  expect(isInstructions().checked).toBe(false);
});
