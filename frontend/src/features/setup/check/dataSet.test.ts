import { expect, it } from "vitest";
import type { Folder } from "../folders";
import { dataSetOf } from "./dataSet";

const folder = (name: string, files: Record<string, string>): Folder => ({
  name,
  kind: "folder",
  files: Object.entries(files).map(([path, text]) => ({
    path,
    open: async () => new File([text], path),
  })),
});
const file = (name: string, text = "x") => new File([text], name);

/** A zip of these files, stored as they are; see `zipFiles.test.ts`. */
function zipped(files: Record<string, string>): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const entries: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  const sizeOf = (some: Uint8Array[]) => some.reduce((sum, one) => sum + one.byteLength, 0);
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [path, text].map((one) => new TextEncoder().encode(one));
    if (!name || !content) continue;
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    local.setUint16(26, name.length, true);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint32(20, content.length, true);
    entry.setUint16(28, name.length, true);
    entry.setUint32(42, at, true);
    parts.push(new Uint8Array(local.buffer), name, content);
    entries.push(new Uint8Array(entry.buffer), name);
    at = sizeOf(parts);
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint32(12, sizeOf(entries), true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...entries, new Uint8Array(end.buffer)]);
}

const zipFile = (name: string, files: Record<string, string>) => new File([zipped(files)], name);
const directory = (names: string[]) => zipped(Object.fromEntries(names.map((one) => [one, ""])));

/** What was dropped is called, what it holds, and what of it stays where it is. */
async function found(files: File[], folders: Folder[] = []) {
  const set = await dataSetOf(files, folders);
  return set && { name: set.content.name, ...set.found, left: set.left };
}

it("takes photographs without labels, from a folder or loose", async () => {
  const unlabeled = { holds: "image", isLabeled: false, left: [] };
  const holiday = folder("holiday", { "1.jpg": "", "notes.docx": "" });
  expect(await found([], [holiday])).toEqual({ name: "holiday", ...unlabeled });
  expect(await found([file("1.jpg")])).toEqual({ name: "1.jpg", ...unlabeled });
  const loose = [file("1.jpg"), file("2.png"), file("notes.docx")];
  expect(await found(loose)).toEqual({ name: "2 files", ...unlabeled });
});

it("takes what was dropped together for one data set", async () => {
  const folders = [folder("robin", { "1.jpg": "" }), folder("wren", { "1.jpg": "" })];
  const classes = { name: "robin, wren", holds: "image", isLabeled: true, left: [] };
  expect(await found([], folders)).toEqual(classes);
  const images = folder("images", { "1.jpg": "" });
  const document = file("boxes.json", '{"annotations":[{"bbox":[0,0,1,1]}]}');
  expect(await found([document], [images])).toMatchObject({ name: "images", holds: "boxes" });
  const labels = folder("labels", { "1.txt": "0 0.5 0.5 0.1 0.1" });
  expect(await found([], [images, labels])).toMatchObject({ holds: "boxes" });
});

it("takes texts, and asks which column holds them", async () => {
  expect(await found([file("a.txt"), file("b.md")])).toMatchObject({ holds: "text" });
  const table = await dataSetOf([file("mails.csv", "id,text\n1,hello\n")], []);
  expect(table?.table?.columns).toEqual(["id", "text"]);
  expect(await found([file("rows.json", '[{"text": "hello"}]')])).toMatchObject({ holds: "text" });
  expect(await found([file("coco.json", '{"images": [], "text": ""}')])).toBeNull();
});

it("takes instructions, which may be wanted as texts where columns are there", async () => {
  const instructions = { holds: "instructions", isLabeled: false, others: [], left: [] };
  const alpaca = '[{"instruction": "Say hello", "input": "", "output": "Hello"}]';
  const name = "alpaca.json";
  expect(await found([file(name, alpaca)])).toEqual({ name, ...instructions });
  const long = JSON.stringify({ messages: [{ role: "user", content: "hello ".repeat(50_000) }] });
  expect(await found([file("chats.jsonl", long)])).toMatchObject({ holds: "instructions" });
  const asked = await dataSetOf([file("asked.csv", "question,answer\nWhy?,So\n")], []);
  expect(asked?.found).toMatchObject({ holds: "instructions", others: ["text"] });
  expect(asked?.table?.columns).toEqual(["question", "answer"]);
  const whole = folder("tuning", { [name]: alpaca, "LICENSE.md": "" });
  expect(await found([], [whole])).toMatchObject({ name: "tuning", holds: "instructions" });
});

it("takes what has labels for texts, though it looks like instructions", async () => {
  const judged = await found([file("judged.csv", "question,response,label\n")]);
  expect(judged).toMatchObject({ holds: "text", isLabeled: true, others: ["instructions"] });
  const calls = await found([file("calls.csv", "id,conversation,label\n")]);
  expect(calls).toMatchObject({ holds: "text", others: [] });
  const squad = '{"data": [{"paragraphs": [{"qas": [{"question": "?", "answers": []}]}]}]}';
  expect(await found([file("train-v1.1.json", squad)])).toMatchObject({ holds: "text" });
  const llava = '[{"image": "a.jpg", "conversations": [{"from": "human"}]}]';
  expect(await found([file("llava.json", llava)])).toBeNull();
});

it("looks into a zip, and takes one archive at a time", async () => {
  const names = ["train/images/a.jpg", "train/labels/a.txt", "data.yaml"];
  const whole = new File([directory(names)], "roboflow.zip");
  const boxes = { name: "roboflow.zip", holds: "boxes", isLabeled: true };
  expect(await found([whole])).toEqual({ ...boxes, left: [] });
  expect(await found([whole, file("b.zip")])).toEqual({ ...boxes, left: ["b.zip"] });
  expect(await found([file("a.tar")])).toEqual({ name: "a.tar", left: [] });
});

it("finds nothing to begin with in what is no data set", async () => {
  expect(await found([file("notes.docx")])).toBeNull();
  expect(await found([file("labels.csv", "file,label\n")])).toBeNull();
  expect(await found([], [folder("empty", {})])).toBeNull();
});

it("looks into a zip for boxes, whatever its documents are called", async () => {
  const of = (said: string) =>
    zipFile("coco.zip", { "images/1.jpg": "", "annotations.json": said });
  const boxes = of('{"images":[],"annotations":[{"bbox":[0,0,1,1]}]}');
  expect(await found([boxes])).toMatchObject({ holds: "boxes", isLabeled: true });
  const classes = of('{"images":[],"annotations":[{"category_id":1}]}');
  expect(await found([classes])).toMatchObject({ holds: "image", isLabeled: true });
});
