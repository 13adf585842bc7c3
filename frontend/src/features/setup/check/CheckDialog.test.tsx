import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { readTable } from "../tables";
import { CheckDialog, type Wished } from "./CheckDialog";

afterEach(cleanup);
// jsdom has dialogs, and can neither open nor close them.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= () => {};

/** What is asked for by a button, after a column of labels was chosen or not. */
async function wished(header: string, button: string, column?: string): Promise<Wished> {
  const content = new File([header], "mails.csv");
  const asked: Wished[] = [];
  const table = await readTable(content);
  const nothing = { busy: null, error: null, onClose: () => {} };
  render(
    <CheckDialog {...nothing} content={content} table={table} onWish={(one) => asked.push(one)} />,
  );
  const labels = screen.getByLabelText("Column with the labels");
  if (column) fireEvent.change(labels, { target: { value: column } });
  fireEvent.click(screen.getByRole("button", { name: button }));
  cleanup();
  return asked[0] as Wished;
}

it("takes no column for labels of texts that are labeled by hand, unless it is meant", async () => {
  const unlabeled = "id,text,source\n";
  const byHand = { wish: "settings", medium: "text", text: "text" };
  expect(await wished(unlabeled, "Label texts by hand")).toEqual({ ...byHand, label: undefined });
  const chosen = await wished(unlabeled, "Label texts by hand", "id");
  expect(chosen).toEqual({ ...byHand, label: "id" });
  const named = await wished("text,Label,source\n", "Label texts by hand");
  expect(named).toEqual({ ...byHand, label: "Label" });
});

it("looks for wrong labels in the column that is shown", async () => {
  const { wish, label } = await wished("id,text,source\n", "Find the wrong labels");
  expect([wish, label]).toEqual(["check", "source"]);
});
