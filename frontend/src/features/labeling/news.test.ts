import { describe, expect, it } from "vitest";
import type { LabelClass, Project } from "../../api/types";
import { newsOf } from "./news";

const item = (id: number, name: string, hotkey: string | null = String(id)): LabelClass => ({
  id,
  name,
  hotkey,
  colour: "#336699",
  position: id,
  guide: "",
});
const [cat, dog, fox] = [item(1, "cat"), item(2, "robin"), item(3, "fox", null)];
const project = (change: Partial<Project> = {}) =>
  ({
    name: "Birds",
    classes: [cat, dog, fox],
    classes_version: 1,
    guidelines: "",
    state: "running",
    modes: ["single", "grid"],
    ...change,
  }) as Project;

describe("what is said of a project that changed", () => {
  it.each<[string, Partial<Project>, string[]]>([
    ["nothing", {}, []],
    ["what others have labeled", { counts: {} as Project["counts"] }, []],
    [
      "a name",
      { classes: [cat, item(2, "European robin"), fox] },
      ["Classes changed: robin is now European robin (key 2)."],
    ],
    [
      "a class more",
      { classes: [cat, dog, fox, item(4, "owl", "shift+1")] },
      ["Classes changed: owl is new (key ⇧1)."],
    ],
    ["a class less", { classes: [cat, fox] }, ["Classes changed: robin is gone."]],
    [
      "the keys",
      { classes: [item(1, "cat", "2"), item(2, "robin", null), fox] },
      ["Classes changed: cat has key 2 now; robin has no key now."],
    ],
    ["the order", { classes: [dog, cat, fox] }, ["Classes changed: they are in another order."]],
    [
      "a colour",
      { classes: [{ ...cat, colour: "#000000" }, dog, fox] },
      ["Classes changed: cat has another colour."],
    ],
    [
      "more than one reads",
      { classes: [4, 5, 6, 7, 8].map((id) => item(id, `c${id}`)) },
      ["Classes changed: c4 is new (key 4); c5 is new (key 5); c6 is new (key 6); 5 more changes."],
    ],
    ["the guidelines", { guidelines: "Look twice." }, ["The guidelines have changed."]],
    ["a pause", { state: "paused" }, [expect.stringContaining("is paused")]],
    ["the end", { state: "finished" }, [expect.stringContaining("is finished")]],
    ["the modes", { modes: ["single"] }, ["Modes offered from the next visit on: One by one."]],
    ["the name of it all", { name: "Owls" }, ["The project is called Owls now."]],
  ])("%s", (_, change, said) => {
    expect(newsOf(project(), project(change))).toEqual(said);
  });
});
