import { expect, it } from "vitest";
import type { Folder } from "./folders";
import { takenOf } from "./taken";

const folder = (name: string, ...paths: string[]): Folder => ({
  name,
  kind: "folder",
  files: paths.map((path) => ({ path, open: async () => new File(["x"], path) })),
});
const files = (...names: string[]) => names.map((name) => new File(["a,b\n"], name));

it("says of all that was dropped what is not sent", async () => {
  const folders = [folder("holiday", "1.jpg", "notes.docx"), folder("nothing"), folder("x", "y.z")];
  const { contents, left } = await takenOf(files("a.psd", "b.png"), folders, "image");
  expect(contents.map(({ name }) => name)).toEqual(["holiday", "b.png"]);
  expect(left).toEqual(["a.psd", "notes.docx", "nothing/", "y.z"]);
});

it("takes tables for what they are in a project", async () => {
  const of = (holds: "image" | "text") => takenOf(files("a.csv", "b.json"), [], holds);
  const images = await of("image");
  expect([images.contents, images.about.length, images.labels.length]).toEqual([[], 1, 1]);
  const texts = await of("text");
  expect([texts.contents.length, texts.about, texts.labels]).toEqual([2, [], []]);
});
