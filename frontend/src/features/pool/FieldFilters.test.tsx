import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { Filters } from "../../api/types";
import { t } from "../../strings";
import { FieldChips } from "./FieldChips";
import { FieldFilters } from "./FieldFilters";

const { fieldFilters: text } = t;
const MANY = { items: [], many: true, exact: true };
const FEW = {
  items: [
    { value: "north", count: 5 },
    { value: "south", count: 2 },
  ],
  many: false,
  exact: false,
};

function Shown({ start }: { start: string[] }) {
  const [filters, setFilters] = useState({ split: "pool", fields: start } as Filters);
  const change = (values: Partial<Filters>) => setFilters({ ...filters, ...values });
  return (
    <>
      <FieldChips filters={filters} onChange={change} />
      <FieldFilters projectId={7} filters={filters} onChange={change} />
      <output>{JSON.stringify(filters.fields)}</output>
    </>
  );
}

function shown(start: string[], asked: URLSearchParams[] = []) {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (!pathname.endsWith("/values")) {
      const items = [
        { name: "camera", value: "north" },
        { name: "score", value: 0.5 },
      ];
      return Response.json({ items });
    }
    asked.push(searchParams);
    return Response.json(searchParams.get("of") === "camera" ? FEW : MANY);
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Shown start={start} />
    </QueryClientProvider>,
  );
}

const choose = async (name: string) =>
  fireEvent.change(await screen.findByLabelText(text.choose), { target: { value: name } });
const fields = () => JSON.parse(screen.getByRole("status").textContent ?? "");

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("offers the values that there are, with how many have each, and shows what is set", async () => {
  const asked: URLSearchParams[] = [];
  shown(["score<2", "camera=east"], asked);
  await choose("camera");
  const north = await screen.findByLabelText("north");
  expect(screen.getByText(text.count(5, false))).toBeDefined();
  // What is asked of the field itself does not thin out its own values.
  expect(asked[0]?.getAll("fields")).toEqual(["score<2"]);
  // None of the values that are there any more, and still to be taken back.
  expect((screen.getByLabelText("east") as HTMLInputElement).checked).toBe(true);
  fireEvent.click(north);
  expect(fields()).toEqual(["score<2", "camera=east", "camera=north"]);
  fireEvent.click(screen.getByRole("button", { name: text.remove("camera = east") }));
  expect(fields()).toEqual(["score<2", "camera=north"]);
  fireEvent.change(screen.getByLabelText(text.value), { target: { value: "!" } });
  expect(fields()).toEqual(["score<2", "!camera"]);
  expect(screen.queryByLabelText(text.from)).toBeNull();
});

it("asks for a range of numbers, and for one of many values", async () => {
  shown([]);
  await choose("score");
  const from = await screen.findByLabelText(text.from);
  fireEvent.change(from, { target: { value: "0.25" } });
  fireEvent.blur(from);
  expect(fields()).toEqual(["score>=0.25"]);
  const is = await screen.findByLabelText(text.is);
  fireEvent.change(is, { target: { value: "0.5" } });
  fireEvent.blur(is);
  expect(fields()).toEqual(["score>=0.25", "score=0.5"]);
  fireEvent.change(from, { target: { value: "" } });
  fireEvent.blur(from);
  expect(fields()).toEqual(["score=0.5"]);
});
