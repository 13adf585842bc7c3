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
  expect(await recognize(looked(files))).toMatchObject({ holds: "text", isLabeled });
});

const CHAT = '{"messages": [{"role": "user", "content": "{hello}"}]}';
const ALPACA = '{"instruction": "a", "input": "", "output": "b"}';

it.each<[string, Record<string, string | null>]>([
  ["Alpaca", { "train.jsonl": `${ALPACA}\n` }],
  ["Alpaca as one document", { "alpaca.json": `[${ALPACA}]`, "prompt.txt": "", LICENSE: "" }],
  ["chats", { "README.md": "", "data/train.jsonl": CHAT, "data/test.jsonl.gz": null }],
  ["ShareGPT", { "sharegpt.json": '[{"id": "1", "conversations": [{"from": "human"}]}]' }],
  ["prompts and completions", { "a.csv": "id,Prompt,Completion\n" }],
  ["answers that were compared", { "a.csv": "chosen,rejected\n" }],
  ["answers beside each other", { "a.csv": "prompt,response_a,response_b,winner\n" }],
  ["what is cut off behind its first row", { "a.json": `[${ALPACA},\n{"instruc\ntail"}]` }],
])("recognizes instructions of %s", async (_, files) => {
  const found = { holds: "instructions", isLabeled: false, others: ["text"] };
  expect(await recognize(looked(files))).toEqual(found);
});

it.each<[string, Record<string, string | null>]>([
  ["talk that is one text", { "calls.csv": "id,conversation,label\n" }],
  ["labels", { "a.csv": "question,response,label\n" }],
  ["answers that are no texts", { "a.jsonl": '{"question": "is it?", "answer": true}\n' }],
  ["another table", { "a.csv": "question,answer\n", "b.csv": "text,label\n" }],
  ["tables that nobody can look into", { "README.md": "", "train.parquet": null }],
])("takes %s for texts, and lets others say otherwise", async (_, files) => {
  const found = { holds: "text", isLabeled: true, others: ["instructions"] };
  expect(await recognize(looked(files))).toEqual(found);
});

it.each<[string, Record<string, string | null>, object | null]>([
  ["pictures", { "a.jpg": "", "a.json": `[${ALPACA}]` }, { holds: "image" }],
  ["chats about pictures", { "a.json": '[{"image": "a.jpg", "conversations": []}]' }, null],
  ["words of a program", { "en.json": '{"messages": {"hello": "Hello"}}' }, null],
  ["other documents", { "result.json": '{"name": "A", "messages": [{"from": "B"}]}' }, null],
  ["licences alone", { "mit/LICENSE.txt": "", "gpl/LICENSE.txt": "" }, { holds: "text" }],
])("takes no %s for instructions", async (_, files, found) => {
  const recognized = await recognize(looked(files));
  if (found === null) expect(recognized).toBeNull();
  else expect(recognized).toMatchObject(found);
});

it("finds nothing where nothing can be read", async () => {
  expect(await recognize(looked({ "notes.docx": "", "art.psd": "" }))).toBeNull();
  expect(await recognize([])).toBeNull();
});
