import { act, cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { changes, type Draft, useDraft } from "./useDraft";

type Settings = { name: string; cost: { inside: number; ood: number }; subset: number | null };

const saved: Settings = { name: "Birds", cost: { inside: 1, ood: 2 }, subset: null };

let draft: Draft<Settings>;
function Form({ server }: { server: Settings }) {
  draft = useDraft("draft", server);
  return null;
}

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it("takes what differs, and nothing of what does not", () => {
  expect(changes(saved, { ...saved, name: "Owls" })).toEqual({ name: "Owls" });
  expect(changes(saved, { ...saved, cost: { inside: 1, ood: 4 } })).toEqual({
    cost: { inside: 1, ood: 4 },
  });
  expect(changes({ ...saved, subset: 7 }, saved)).toEqual({ subset: null });
});

it("takes nothing where everything is as it was, in whatever order", () => {
  expect(changes(saved, { ...saved, cost: { ood: 2, inside: 1 } })).toEqual({});
});

it("keeps edits on top of what the server has meanwhile, until it has the same", () => {
  const { rerender } = render(<Form server={saved} />);
  act(() => draft.set({ ...draft.value, name: "Owls" }));
  rerender(<Form server={{ ...saved, subset: 7 }} />);
  expect(draft.value).toEqual({ ...saved, name: "Owls", subset: 7 });
  expect(draft.edits).toEqual({ name: "Owls" });
  act(() => draft.set({ ...draft.value, cost: { inside: 1, ood: 4 } }));
  expect(draft.edits).toEqual({ name: "Owls", cost: { inside: 1, ood: 4 } });
  rerender(<Form server={{ ...saved, name: "Owls", cost: { inside: 1, ood: 4 } }} />);
  expect(draft.dirty).toBe(false);
});

it("keeps what is undone while it is being saved", () => {
  const { rerender } = render(<Form server={saved} />);
  act(() => draft.set({ ...draft.value, name: "Owls" }));
  act(() => draft.sending(["name"]));
  act(() => draft.set({ ...draft.value, name: "Birds" }));
  const answer = { ...saved, name: "Owls" };
  act(() => draft.sending([]));
  expect(draft.now(answer)).toEqual({ name: "Birds" });
  rerender(<Form server={answer} />);
  expect(draft.value.name).toBe("Birds");
  expect(draft.edits).toEqual({ name: "Birds" });
});

it("survives a reload, and vanishes when discarded", () => {
  render(<Form server={saved} />);
  act(() => draft.set({ ...saved, name: "Owls" }));
  cleanup();
  render(<Form server={saved} />);
  expect(draft.value.name).toBe("Owls");
  act(() => draft.discard());
  cleanup();
  render(<Form server={saved} />);
  expect(draft.dirty).toBe(false);
});
