import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Example, LabelClass, Project } from "../../api/types";
import { t } from "../../strings";
import { Tile } from "./Tile";

const classes = [{ id: 3, name: "robin", colour: "#aa0000" }] as LabelClass[];

afterEach(cleanup);

type Known = Partial<Example> & { task?: Project["task"] };

it.each<[string, Known, string]>([
  ["a class", { in_probability: 0.9 }, "robin?"],
  ["a class where nothing tells how pure it is", { in_probability: null }, "robin?"],
  ["that it is of none where that is likelier", { in_probability: 0.02 }, "None?"],
  [
    "nothing before the first scores",
    { predicted_class_id: null, in_probability: null },
    "Not looked at",
  ],
  ["its label, whatever the model says", { state: "labeled", label_class_id: 3 }, "robin"],
  ["what is of none of them", { state: "ood" }, "None"],
  ["what a model of boxes finds nothing in", { task: "boxes" }, "Nothing?"],
  ["a row that is not of this data", { task: "instructions", state: "ood" }, "Not of this data"],
  ["what boxes are not drawn on", { task: "boxes", state: "ood" }, "Wrong kind"],
  [
    "an image in which nothing is",
    { task: "boxes", state: "labeled", whole_label: { type: "boxes", boxes: [] } },
    "Nothing in it",
  ],
])("names %s", (_, { task, ...known }, caption) => {
  const example = {
    id: 1,
    name: "1.png",
    image_url: "/images/1",
    state: "unlabeled",
    label_class_id: null,
    predicted_class_id: 3,
    in_probability: 0.02,
    ...known,
  } as Example;
  render(
    <Tile
      marked={[]}
      example={example}
      classes={classes}
      task={task ?? "classification"}
      states={t.states.classes}
      sort="pool_index"
      isPicked={false}
      isActive={false}
      isOpen={false}
      style={{}}
      onClick={() => {}}
    />,
  );
  expect(screen.getByRole("option").textContent).toBe(caption);
});
