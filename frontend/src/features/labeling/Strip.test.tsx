import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { LabelClass } from "../../api/types";
import { keepDraft } from "../../tasks/boxes/memory";
import { EMPTY } from "../../tasks/boxes/model";
import { draftName } from "../../tasks/drafts";
import { taskViewOf } from "../../tasks/registry";
import type { Entry } from "./queue/model";
import { Strip } from "./Strip";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

const entry = (query_id: number) =>
  ({
    subject: { query_id, example_id: query_id, image_url: "/i", width: 8, height: 8, name: "i" },
    given: { verdict: "label", label: { type: "boxes", boxes: [], threshold: null } },
  }) as unknown as Entry;

it("marks what was changed and not sent, until it is, and to nobody else", () => {
  render(
    <Strip
      trail={[entry(1), entry(2)]}
      {...{ openId: null, task: taskViewOf({ task: "boxes" }), userId: 3 }}
      classes={[] as LabelClass[]}
      onOpen={() => {}}
    />,
  );
  const marked = () => screen.queryAllByRole("button", { name: /not sent/ }).length;
  const keep = (userId: number, doc: typeof EMPTY | null) =>
    act(() => keepDraft(draftName(userId, 2), doc));
  keep(4, EMPTY);
  expect(marked()).toBe(0);
  keep(3, EMPTY);
  expect(marked()).toBe(1);
  keep(3, null);
  expect(marked()).toBe(0);
});
