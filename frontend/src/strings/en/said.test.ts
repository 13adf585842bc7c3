import { expect, it } from "vitest";
import { said } from "./said";

it.each([
  ["dev/ may be a split or a class; say what it is with folder_split dev=SPLIT", "folder_split"],
  ["more than are shown; say what they are with folder_split", "folder_split"],
  [
    "its a and its b mean different images; say which holds with key_column=a or key_column=b",
    "key",
  ],
  ["No column holds texts; say which does with text_column.", "text_column"],
  ["Several columns may hold the texts (title, body); say which with text_column.", "text_column"],
  [
    "y says '1', and so on. Write names, or say what the first class is with count_from=0 or count_from=1",
    "count_from",
  ],
  [
    "The project has no subset 7; take the subset_id of a finished job prune, or null.",
    "subset_id",
  ],
  [
    "The project has had the 3 rounds that its settings allow; raise max_rounds, or leave it empty, and continue then.",
    "max_rounds",
  ],
])("tells %s with what the page has", (sentence, parameter) => {
  expect(said(sentence)).not.toContain(`${parameter}`.concat(parameter === "key" ? "_column" : ""));
  expect(said(sentence)).not.toBe(sentence);
});

it("leaves everything else as it is", () => {
  expect(said("empty file")).toBe("empty file");
});
