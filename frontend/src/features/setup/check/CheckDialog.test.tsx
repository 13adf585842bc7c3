import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ComponentProps } from "react";
import { afterEach, expect, it } from "vitest";
import type { Folder } from "../folders";
import { readTable } from "../tables";
import { CheckDialog, type Wished } from "./CheckDialog";
import type { DataSet } from "./dataSet";

afterEach(cleanup);

const show = (props: ComponentProps<typeof CheckDialog>) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CheckDialog {...props} />
    </QueryClientProvider>,
  );

/** What is asked for by a button, after a column of labels was chosen or not. */
async function wished(header: string, button: string, column?: string): Promise<Wished> {
  const content = new File([header], "mails.csv");
  const asked: Wished[] = [];
  const table = await readTable(content);
  const nothing = { busy: null, error: null, onClose: () => {} };
  show({
    ...nothing,
    dataSet: { content, table, found: { holds: "text", isLabeled: true }, left: [] },
    onWish: (one) => asked.push(one),
  });
  const labels = screen.getByLabelText("Column with the labels");
  if (column) fireEvent.change(labels, { target: { value: column } });
  fireEvent.click(screen.getByRole("button", { name: button }));
  cleanup();
  return asked[0] as Wished;
}

it("takes no column for labels of texts that are labeled by hand, unless it is meant", async () => {
  const unlabeled = "id,text,source\n";
  const byHand = { wish: "settings", kind: "text", text: "text" };
  expect(await wished(unlabeled, "Label by hand")).toEqual({ ...byHand, label: undefined });
  const chosen = await wished(unlabeled, "Label by hand", "id");
  expect(chosen).toEqual({ ...byHand, label: "id" });
  const named = await wished("text,Label,source\n", "Label by hand");
  expect(named).toEqual({ ...byHand, label: "Label" });
});

it("looks for wrong labels in the column that is shown", async () => {
  const { wish, label } = await wished("id,text,source\n", "Find the wrong labels");
  expect([wish, label]).toEqual(["check", "source"]);
});

const shown = (dataSet: DataSet) => {
  show({ dataSet, busy: null, error: null, onWish: () => {}, onClose: () => {} });
  return screen.getAllByRole("button").map((one) => one.textContent);
};
const folder = (...paths: string[]): Folder => ({
  name: "set",
  kind: "folder",
  files: paths.map((path) => ({ path, open: async () => new File([], path) })),
});

it("offers boxes no judgement of their labels, and what has none nothing but to be labeled", () => {
  const boxes = { holds: "boxes", isLabeled: true } as const;
  const drawn = folder("a.jpg", "a.xml");
  expect(shown({ content: drawn, table: null, found: boxes, left: [] })).not.toContain(
    "Find the wrong labels",
  );
  expect(screen.getByRole("button", { name: "Go on with the boxes" })).toBeTruthy();
  // Whoever wants classes instead has them.
  fireEvent.click(screen.getByRole("radio", { name: /^Images/ }));
  expect(screen.getByRole("button", { name: "Find the wrong labels" })).toBeTruthy();
  expect(screen.getByText(/^a\.xml was left where it is\./)).toBeTruthy();
  cleanup();
  const plain = { holds: "image", isLabeled: false } as const;
  expect(shown({ content: folder("a.jpg"), table: null, found: plain, left: [] })).not.toContain(
    "Find the wrong labels",
  );
});

it("goes on with instructions as they are, or takes a column of theirs for texts", async () => {
  const content = new File(["question,answer\n"], "asked.csv");
  const dataSet: DataSet = {
    content,
    table: await readTable(content),
    found: { holds: "instructions", isLabeled: false, others: ["text"] },
    left: [],
  };
  const asked: Wished[] = [];
  const nothing = { busy: null, error: null, onClose: () => {} };
  show({ ...nothing, dataSet, onWish: (one) => asked.push(one) });
  expect(screen.queryByLabelText("Column with the texts")).toBeNull();
  expect(screen.queryByRole("button", { name: "Find the wrong labels" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Go on with the instructions" }));
  fireEvent.click(screen.getByRole("radio", { name: /^Texts/ }));
  expect(screen.getByLabelText("Column with the texts")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Label by hand" }));
  expect(asked).toEqual([
    { wish: "settings", kind: "instructions", text: undefined, label: undefined },
    { wish: "settings", kind: "text", text: "question", label: undefined },
  ]);
});

it("speaks of several files as of one", () => {
  const loose: Folder = { ...folder("a.jpg", "b.jpg"), kind: "images", name: "2 images" };
  for (const found of [
    { holds: "image", isLabeled: false },
    { holds: "boxes", isLabeled: true },
    { holds: "instructions", isLabeled: false },
  ] as const) {
    shown({ content: loose, table: null, found, left: [] });
    const said = screen.getByText(/what comes in is shown before anything is stored/).textContent;
    expect(said).toMatch(/^There are .*This becomes a project/);
    expect(said).not.toMatch(/\bIts?\b/);
    cleanup();
  }
});

it("waits with what is likeliest where nothing is to be chosen", () => {
  const photographs = { holds: "image", isLabeled: true } as const;
  shown({ content: folder("cat/a.jpg"), table: null, found: photographs, left: [] });
  expect(document.activeElement?.textContent).toBe("Find the wrong labels");
  cleanup();
  shown({ content: new File([], "a.tar"), table: null, found: null, left: [] });
  expect(document.activeElement?.textContent).not.toBe("Find the wrong labels");
});

it("offers every kind of what nobody can look into", () => {
  const closed: DataSet = { content: new File([], "a.tar"), table: null, found: null, left: [] };
  shown(closed);
  expect(screen.getAllByRole("radio")).toHaveLength(4);
  fireEvent.click(screen.getByRole("radio", { name: /^Instructions/ }));
  expect(screen.getByRole("button", { name: "Go on with the instructions" })).toBeTruthy();
});

it("says what of a folder is left where it is", () => {
  const content = folder("a.jpg", "notes.docx", "b.docx", "c.psd");
  const found = { holds: "image", isLabeled: false } as const;
  shown({ content, table: null, found, left: [] });
  expect(screen.getByText(/^3 files were left where they are: 2 \.docx, 1 \.psd\./)).toBeTruthy();
});
