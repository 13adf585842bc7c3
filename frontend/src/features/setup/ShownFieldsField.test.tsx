import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { fieldsQuery } from "../../api/pool";
import type { Project } from "../../api/types";
import { ShownFieldsField } from "./ShownFieldsField";

afterEach(cleanup);

const show = (names: string[], shown: string[], task: Project["task"] = "classification") => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const items = names.map((name) => ({ name, value: `${name} of one` }));
  client.setQueryData(fieldsQuery(1).queryKey, { items });
  const onChange = vi.fn();
  render(
    <QueryClientProvider client={client}>
      <ShownFieldsField project={{ id: 1, task }} shown={shown} onChange={onChange} />
    </QueryClientProvider>,
  );
  return onChange;
};

it("adds what is ticked at the end, and takes out what is not", () => {
  const onChange = show(["camera", "date"], ["date"]);
  fireEvent.click(screen.getByLabelText(/^camera/));
  fireEvent.click(screen.getByLabelText(/^date/));
  expect(onChange.mock.calls).toEqual([[["date", "camera"]], [[]]]);
});

it("lets go of a field that none of the first examples has", () => {
  const onChange = show([], ["gone"]);
  fireEvent.click(screen.getByLabelText("gone"));
  expect(onChange).toHaveBeenCalledWith([]);
});

it("takes no more than the server does", () => {
  const names = Array.from({ length: 13 }, (_, n) => `field ${n}`);
  show(names, names.slice(0, 12));
  expect(screen.getByLabelText<HTMLInputElement>(/^field 12/).disabled).toBe(true);
  expect(screen.getByLabelText<HTMLInputElement>(/^field 11/).disabled).toBe(false);
});

it.each<[string, string[], Project["task"]]>([
  ["nothing came with the examples", [], "classification"],
  ["rows are ranked", ["camera"], "instructions"],
])("is not there where %s", (_, names, task) => {
  show(names, [], task);
  expect(document.body.textContent).toBe("");
});
