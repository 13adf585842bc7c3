import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useSyncExternalStore } from "react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Card } from "./Card";
import { RankingEditor } from "./editor";
import type { Member } from "./model";

const members: Member[] = [41, 42, 43].map((example_id) => ({
  example_id,
  fields: { instruction: `Task ${example_id}`, responses: [`Answer ${example_id}`] },
}));
let editor: RankingEditor;

function Cards() {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  return members.map((member, index) => (
    <Card
      key={member.example_id}
      {...{ editor, view, member, index, own: undefined, isAsked: false, mono: false }}
    />
  ));
}

beforeEach(() => {
  sessionStorage.clear();
  editor = new RankingEditor({ queryId: 7, draft: "7", members, given: null, send: () => {} });
  render(<Cards />);
});
afterEach(() => {
  getSelection()?.removeAllRanges();
  cleanup();
});

const answer = (id: number) => screen.getByText(`Answer ${id}`);
const select = (id: number) => getSelection()?.selectAllChildren(answer(id));
const order = () => editor.getView().ranking.order.flat();

/** One press of the button of a mouse, the so-many-th in quick succession. */
function click(id: number, { detail = 1, selects = false } = {}) {
  fireEvent.pointerDown(answer(id));
  getSelection()?.removeAllRanges();
  if (selects) select(id);
  fireEvent.click(answer(id), { detail });
}

it("is ranked by clicks anywhere on it", () => {
  click(42);
  click(41);
  click(43);
  click(43, { detail: 2 });
  expect(order()).toEqual([42, 41]);
});

it("stays where it is when a word on it is selected by a double click", () => {
  for (const id of [41, 42, 43]) click(id);
  click(41);
  click(41, { detail: 2, selects: true });
  click(41, { detail: 3, selects: true });
  expect(order()).toEqual([41, 42, 43]);
});

it("is not ranked by the clicks that end a selection", () => {
  select(41);
  click(42);
  expect(order()).toEqual([]);
  select(41);
  click(41);
  click(41, { detail: 2, selects: true });
  expect(order()).toEqual([]);
  click(41);
  click(41);
  expect(order()).toEqual([41]);
});

it("is not taken back by a word that is selected later", () => {
  click(42);
  act(() => editor.press(41));
  click(42, { detail: 2, selects: true });
  expect(order()).toEqual([42, 41]);
});
