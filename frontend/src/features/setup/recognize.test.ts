import { expect, it } from "vitest";
import { type Looked, recognize } from "./recognize";

const BOX = "0 0.5 0.5 0.4 0.3\n";
const VOC = "<annotation><object><name>cat</name></object></annotation>";

/** Files with what they hold; null of those that cannot be looked into. */
const looked = (files: Record<string, string | null>): Looked[] =>
  Object.entries(files).map(([path, text]) => ({ path, peek: async () => text }));

it.each<[string, Record<string, string | null>]>([
  ["YOLO", { "images/a.jpg": "", "labels/a.txt": BOX }],
  ["darknet", { "a.jpg": "", "a.txt": BOX, "obj.names": "cat" }],
  ["YOLO without a box", { "images/a.jpg": "", "labels/a.txt": "\n", "data.yaml": "names: [cat]" }],
  ["Pascal VOC", { "JPEGImages/a.jpg": "", "Annotations/a.xml": VOC }],
  ["CVAT", { "images/a.png": "", "annotations.xml": "<annotations><version>1.1" }],
  ["COCO", { "a.jpg": "", "instances.json": '{"annotations":[{"bbox":[1,2,3,4]}]}' }],
  ["LabelMe", { "a.jpg": "", "said/a.json": '{"shapes":[{"shape_type": "rectangle"}]}' }],
  ["YOLO in a zip", { "train/images/a.jpg": null, "train/labels/a.txt": null }],
  ["Pascal VOC in a zip", { "train/a.jpg": null, "train/a.xml": null }],
  ["COCO in a zip", { "train/a.jpg": null, "train/_annotations.coco.json": null }],
])("recognizes the boxes of %s", async (_, files) => {
  expect(await recognize(looked(files))).toEqual({ holds: "boxes", isLabeled: true });
});

it.each<[string, Record<string, string | null>, boolean]>([
  ["photographs", { "a.jpg": "", "b.png": "", "notes.docx": "" }, false],
  ["photographs in a folder of images", { "train/images/a.jpg": "" }, false],
  ["photographs in folders of splits", { "train2017/a.jpg": "", "검증/b.jpg": "" }, false],
  ["folders for classes", { "cat/a.jpg": "", "dog/b.jpg": "" }, true],
  ["captions beside images", { "1.jpg": "", "1.txt": "a red car on a road" }, false],
  ["classes beside images", { "1.jpg": "", "1.cls": "cat" }, true],
  ["a document of classes", { "a.jpg": "", "coco.json": '{"annotations":[{"id":1}]}' }, true],
  ["metadata", { "a.jpg": "", "metadata.csv": "file_name,label" }, true],
  // Boxes of Hugging Face are read from Parquet alone.
  ["boxes in metadata", { "a.jpg": "", "metadata.jsonl": '{"objects":{"bbox": []}}' }, true],
  ["XML that draws nothing", { "a.jpg": "", "a.xml": "<x:xmpmeta/>" }, false],
])("takes %s for images", async (_, files, isLabeled) => {
  expect(await recognize(looked(files))).toEqual({ holds: "image", isLabeled });
});

it.each<[string, Record<string, string | null>, boolean]>([
  ["loose texts", { "a.txt": "", "b.md": "" }, false],
  ["folders of texts", { "pos/a.txt": "", "neg/b.txt": "" }, true],
  ["texts and a logo", { "a.txt": "", "b.txt": "", "logo.png": "" }, false],
  ["tables", { "train.csv": "", "test.csv": "" }, true],
])("takes %s for texts", async (_, files, isLabeled) => {
  expect(await recognize(looked(files))).toEqual({ holds: "text", isLabeled });
});

it.each<[string, Record<string, string | null>]>([
  ["Alpaca", { "train.jsonl": '{"instruction": "a", "input": "", "output": "b"}\n' }],
  ["Alpaca as one document", { "alpaca.json": '[{"instruction": "a", "output": "b"}]' }],
  ["chats", { "README.md": "", "data/train.jsonl": '{"messages": []}', "data/test.csv": "a,b" }],
  ["ShareGPT", { "sharegpt.json": '[{"id": "1", "conversations": []}]' }],
  ["prompts and completions", { "a.csv": "id,Prompt,Completion\n" }],
  ["answers that were compared", { "a.csv": "chosen,rejected\n" }],
])("recognizes instructions of %s", async (_, files) => {
  expect(await recognize(looked(files))).toEqual({ holds: "instructions", isLabeled: false });
});

it("takes instructions beside pictures for what is said of these", async () => {
  const files = { "a.jpg": "", "a.json": '[{"question": "what?", "answer": "a cat"}]' };
  expect(await recognize(looked(files))).toMatchObject({ holds: "image" });
});

it("finds nothing where nothing can be read", async () => {
  expect(await recognize(looked({ "notes.docx": "", "art.psd": "" }))).toBeNull();
  expect(await recognize([])).toBeNull();
});
