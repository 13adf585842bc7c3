import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { labelOf } from "../../../api/labels";
import type { LabelClass, Suggestion } from "../../../api/types";
import type { Choice } from "./choices";
import { DecisionPanel } from "./DecisionPanel";
import { reviewCommandFor } from "./decisions";
import { Spoken } from "./Spoken";
import type { Kind } from "./votes";

const NAMES = ["cat", "dog", "horse", "bird"];
const classOf = (id: number, name: string, hotkey: string | null = String(id)): LabelClass => ({
  id,
  name,
  colour: "#000000",
  hotkey,
  position: id,
  guide: "",
});
const classes = NAMES.map((name, index) => classOf(index + 1, name));
const suggestion = (id: number, more: Partial<Suggestion> = {}): Suggestion => ({
  id,
  example_id: id,
  rank: id,
  image_url: "",
  width: 8,
  height: 8,
  name: "",
  excerpt: null,
  members: null,
  given_class_id: 1,
  given_label: labelOf(1),
  suggested_class_id: 2,
  suggested_label: labelOf(2),
  votes: [],
  confidence: 0.9,
  quality: null,
  alike: null,
  decision: null,
  decided_class_id: null,
  decided_label: null,
  note: null,
  notes: [],
  ...more,
});
const votes = (...counts: [number | null, number][]) =>
  counts.map(([class_id, count]) => ({ class_id, label: labelOf(class_id), count }));

function show(one: Suggestion, kind: Kind = "suggestions", all = classes) {
  const onDecide = vi.fn<(choice: Choice) => void>();
  const nothing = () => {};
  render(
    <DecisionPanel
      suggestion={one}
      prepared="ready"
      classes={all}
      kind={kind}
      flashed={null}
      canUndo={false}
      onDecide={onDecide}
      onUndo={nothing}
      onFind={nothing}
    />,
  );
  return onDecide;
}

const button = (name: RegExp) => screen.getByRole("button", { name });
const keysOf = (name: RegExp) => button(name).getAttribute("aria-keyshortcuts");

afterEach(cleanup);

describe("the two labels", () => {
  it("have the arrows, and the keys that their classes have everywhere", () => {
    show(suggestion(1, { given_class_id: 3, suggested_class_id: 1 }));
    expect(keysOf(/^Label now/)).toBe("ArrowLeft 3");
    expect(keysOf(/^Suggested/)).toBe("ArrowRight 1");
  });

  it("may be OOD, which is then offered once, with its own key", () => {
    show(suggestion(1, { suggested_class_id: null }));
    expect(screen.getAllByRole("button", { name: /None of the classes/ })).toHaveLength(1);
    expect(keysOf(/^Suggested ?None of the classes/)).toBe("ArrowRight x");
  });

  it("say how many said so, and of equals none has the most", () => {
    show(suggestion(1, { votes: votes([1, 2], [2, 1]) }), "disagreements");
    expect(button(/^Most said ?cat ?2 of 3 verdicts/)).toBeDefined();
    expect(button(/^Others said ?dog ?1 of 3 verdicts/)).toBeDefined();
    cleanup();
    show(suggestion(1, { votes: votes([1, 1], [2, 1]) }), "disagreements");
    expect(button(/^Some said ?cat ?1 of 2 verdicts/)).toBeDefined();
  });

  it("leave out what a single verdict says, and shares that are not a model's", () => {
    show(suggestion(1, { votes: votes([1, 1]) }));
    expect(button(/^Label now/).textContent).not.toContain("verdict");
    expect(button(/^Suggested/).textContent).toContain("90\u00a0% sure");
    cleanup();
    show(suggestion(1, { votes: votes([1, 1], [2, 1]) }), "disagreements");
    expect(button(/^Others said/).textContent).not.toContain("%");
  });
});

describe("other labels", () => {
  it("are the classes that are neither, each by a click", async () => {
    const onDecide = show(suggestion(1));
    const group = screen.getByRole("group", { name: "Another class" });
    expect([...group.children].map((one) => one.textContent)).toEqual(["horse3", "bird4"]);
    await userEvent.click(button(/^bird/));
    expect(onDecide).toHaveBeenCalledWith({ decision: "other", classId: 4 });
  });

  it("come first, with how many said so, where somebody did", () => {
    show(suggestion(1, { votes: votes([1, 2], [2, 1], [4, 1], [null, 1]) }), "disagreements");
    const names = screen.getAllByRole("button").map((one) => one.textContent);
    expect(names.slice(2, 5)).toEqual([
      "bird1 of 5 verdicts4",
      "horse3",
      "None of the classes1 of 5 verdictsX",
    ]);
  });

  it("are not asked for where there are none", () => {
    show(suggestion(1), "suggestions", classes.slice(0, 2));
    expect(screen.queryByRole("group", { name: "Another class" })).toBeNull();
  });

  it("are found by name where one has no key", () => {
    show(suggestion(1));
    expect(screen.queryByRole("button", { name: "Find a class" })).toBeNull();
    cleanup();
    show(suggestion(1), "suggestions", [...classes, classOf(5, "newt", null)]);
    expect(button(/^Find a class/)).toBeDefined();
  });

  it("are shown as chosen when one goes back to them", () => {
    show(suggestion(1, { decision: "other", decided_class_id: 4 }));
    const pressed = screen.getAllByRole("button", { pressed: true });
    expect(pressed.map((one) => one.textContent)).toEqual(["bird4"]);
  });
});

describe("keys", () => {
  it("name classes as they do on the label page, with shift and without", () => {
    expect(reviewCommandFor("3", classes)).toEqual({ do: "name", label: 3 });
    expect(reviewCommandFor("shift+3", classes)).toBeNull();
    const twelfth = classOf(12, "newt", "shift+2");
    expect(reviewCommandFor("shift+2", [...classes, twelfth])).toEqual({ do: "name", label: 12 });
    expect(reviewCommandFor("9", classes)).toBeNull();
  });

  it("find a class where there is one", () => {
    expect(reviewCommandFor("f", classes)).toEqual({ do: "find" });
    expect(reviewCommandFor("f", [])).toBeNull();
  });

  it("write a note, unless a class has that key", () => {
    expect(reviewCommandFor("m", classes)).toEqual({ do: "note" });
    const mouse = [...classes, classOf(6, "mouse", "m")];
    expect(reviewCommandFor("m", mouse)).toEqual({ do: "name", label: 6 });
    show(suggestion(1), "suggestions", mouse);
    expect(keysOf(/^mouse/)).toBe("m");
  });

  it("of the review itself come before a class's, which is clicked instead", async () => {
    const all = [...classes, classOf(5, "quail", "q")];
    expect(reviewCommandFor("q", all)).toMatchObject({ choice: { decision: "unsure" } });
    const onDecide = show(suggestion(1), "suggestions", all);
    expect(keysOf(/^quail/)).toBeNull();
    await userEvent.click(button(/^quail/));
    expect(onDecide).toHaveBeenCalledWith({ decision: "other", classId: 5 });
  });
});

describe("those who hear the page", () => {
  const heard = (
    current: Suggestion | null,
    previous: Suggestion | null,
    kind: Kind = "suggestions",
  ) => <Spoken current={current} previous={previous} classes={classes} kind={kind} />;

  it("are told the decision and the pair that comes next, the same pair too", () => {
    const { container, rerender } = render(heard(suggestion(1), null));
    const region = container.querySelector("[aria-live=polite]");
    const said = region?.querySelector("span");
    rerender(heard(suggestion(2), suggestion(1, { decision: "keep" })));
    expect(region?.textContent).toBe("Last: label kept Label now cat, suggested dog.");
    expect(region?.querySelector("span")).not.toBe(said);
  });

  it("are told the class that was named, and everything that was said", () => {
    const before = suggestion(1, { decision: "other", decided_class_id: 3 });
    const { container, rerender } = render(heard(suggestion(2), before));
    expect(container.textContent).toMatch(/^Last: neither, but horse/);
    const disputed = { votes: votes([1, 2], [2, 1], [null, 1]) };
    rerender(heard(suggestion(3, disputed), { ...before, decision: "accept" }, "disagreements"));
    expect(container.textContent).toBe(
      "Last: dog Most said cat, others dog. Also said: None of the classes.",
    );
  });
});

it("leaves the keys with the page: a click and then Enter is no decision more", () => {
  const more = [...classes, classOf(9, "cow", null)];
  show(suggestion(1), "suggestions", more);
  const buttons = screen.getAllByRole<HTMLButtonElement>("button").filter((one) => !one.disabled);
  expect(buttons.length).toBeGreaterThan(6);
  expect(buttons.filter((one) => fireEvent.mouseDown(one)).map((one) => one.textContent)).toEqual(
    [],
  );
});
