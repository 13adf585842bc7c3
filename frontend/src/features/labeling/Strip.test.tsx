import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { LabelClass } from "../../api/types";
import { EMPTY } from "../../tasks/boxes/model";
import { type Draft, draftName, keepDraft } from "../../tasks/drafts";
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
  const keep = (userId: number, draft: Partial<Draft<object>>) =>
    act(() => keepDraft(draftName(userId, 2), { made: null, left: null, ...draft }));
  keep(4, { made: EMPTY });
  expect(marked()).toBe(0);
  keep(3, { made: EMPTY });
  expect(marked()).toBe(1);
  // Something else was said, and sent.
  keep(3, { left: EMPTY });
  expect(marked()).toBe(0);
});
