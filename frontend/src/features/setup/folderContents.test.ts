import { describe, expect, it } from "vitest";
import { divided, kindsOf, wantedOf } from "./folderContents";
import type { Kind } from "./kinds";

const sent = (holds: Kind, ...paths: string[]) =>
  wantedOf(
    paths.map((path) => ({ path })),
    holds,
  ).map(({ path }) => path);

describe("of a dropped folder is sent", () => {
  it.each([
    ["YOLO", ["images/a.jpg", "labels/a.txt", "data.yaml", "classes.txt", "obj.names"]],
    ["Pascal VOC", ["JPEGImages/a.jpg", "Annotations/a.xml", "ImageSets/Main/train.txt"]],
    ["CVAT", ["images/a.png", "annotations.xml"]],
    ["COCO", ["train/a.jpg", "train/_annotations.coco.json"]],
    ["LabelMe", ["a.jpg", "a.json", "images/b.jpg", "said/b.json"]],
  ])("all that draws boxes for %s", (_, paths) => {
    expect(sent("boxes", ...paths, "notes.docx", ".git/config")).toEqual(paths);
  });

  it("of images what stands beside one under its name, and what describes all", () => {
    const paths = ["a/1.jpg", "a/1.cls", "a/1.txt", "a/1.json", "metadata.csv", "coco.json"];
    const others = ["README.txt", "a/2.txt", "1.txt", "a/run.py", ".DS_Store", "__MACOSX/a/1.jpg"];
    expect(sent("image", ...paths, ...others)).toEqual(paths);
  });

  it("what stands beside an image in whatever form its letters are", () => {
    for (const [one, other] of [
      ["NFC", "NFD"],
      ["NFD", "NFC"],
    ] as const) {
      const paths = [`${"é".normalize(one)}.jpg`, `${"é".normalize(other)}.txt`];
      expect(sent("image", ...paths, "e.txt")).toEqual(paths);
    }
  });

  it("a document for each image only where it is called like it", () => {
    const each = Array.from({ length: 30 }, (_, n) => [`${n}.jpg`, `${n}.json`]).flat();
    expect(sent("image", ...each)).toEqual(each);
    const lone = Array.from({ length: 102 }, (_, n) => `said/${n}.json`);
    for (const holds of ["image", "boxes"] as const) {
      const images = Array.from({ length: 102 }, (_, n) => `images/${n}.jpg`);
      expect(sent(holds, ...images, ...lone)).toEqual([...images, ...lone]);
      expect(sent(holds, "1.jpg", ...lone)).toEqual(["1.jpg", "said/1.json"]);
    }
  });

  it("of texts files with any ending or none, and tables", () => {
    const paths = [
      "pos/1.txt",
      "neg/0002",
      "neg/mail.17",
      "neg/m.2001.17",
      "train.csv",
      "b.parquet",
    ];
    expect(sent("text", ...paths, "logo.png", "src/run.py", "_about/x")).toEqual([
      ...paths,
      "_about/x",
    ]);
  });

  it("what says something of examples, compressed too", () => {
    const others = ["run.py.gz", "notes.docx.xz", "__MACOSX/a.csv.gz"];
    const texts = ["a.csv.gz", "b/c.jsonl.xz", "d.txt.bz2"];
    expect(sent("text", ...texts, ...others)).toEqual(texts);
    const images = ["1.jpg", "1.json.gz", "metadata.csv.gz", "_annotations.coco.json.gz"];
    expect(sent("image", ...images, "2.txt.gz", "3.jpg.gz", ...others)).toEqual(images);
    const boxes = ["1.jpg", "a.xml.gz", "_annotations.coco.json.gz"];
    expect(sent("boxes", ...boxes, ...others)).toEqual(boxes);
  });
});

describe("of a dropped folder is left", () => {
  const left = (holds: Kind, ...paths: string[]) =>
    divided(
      paths.map((path) => ({ path })),
      holds,
    ).left.map(({ path }) => path);

  it("what is not sent, but for what nobody knows to be there", () => {
    const junk = [".DS_Store", "a/Thumbs.db", "desktop.ini", "__MACOSX/a.jpg", ".git/config"];
    const others = ["notes.docx", "a/phone.MOV", "a/2.txt"];
    expect(left("image", "a/1.jpg", "a/1.txt", ...others, ...junk)).toEqual(others);
    expect(left("text", "a.txt", "logo.png", ...junk)).toEqual(["logo.png"]);
  });

  it("told by its kinds, the most frequent first", () => {
    const paths = ["a.psd", "b.docx", "c/D.DOCX", "LICENSE", "v1.2/x", "e.tar.gz"];
    expect(kindsOf(paths)).toEqual([
      ["", 2],
      [".docx", 2],
      [".psd", 1],
      [".tar", 1],
    ]);
  });
});
