import { describe, expect, it } from "vitest";
import { isArchive } from "./folders";
import { columnsOf, fields, isTable, readTable, textsIn } from "./tables";

const csv = (text: string) => readTable(new File([text], "labels.csv"));

describe("a table of labels", () => {
  it("offers every column but those that name the image", async () => {
    const { columns, states } = await csv("\uFEFFfile,clean label,worse_label\r\na.png,1,2\r\n");
    expect(columns).toEqual(["clean label", "worse_label"]);
    expect(states).toBe(false);
  });

  it("loses no column beside one without a name, as pandas writes it", async () => {
    expect(fields(",label,file")).toEqual(["", "label", "file"]);
    expect((await csv(',label,"",file\n0,cat,x,a.png\n')).columns).toEqual(["label"]);
  });

  it.each([
    [";", "\uFEFF", "utf-8"],
    ["\t", "\uFEFF", "utf-16"],
    [";", "sep=;\r\n", "utf-8"],
    ["|", "\uFEFFsep=|\n", "utf-8"],
  ])("reads what spreadsheets write with %j, %j and %s", async (delimiter, start, encoding) => {
    const text = `${start}file${delimiter}"a, b; c"${delimiter}label\r\n1.png${delimiter}x${delimiter}y`;
    const units = Uint16Array.from(text, (one) => one.charCodeAt(0));
    const content = encoding === "utf-16" ? units : text;
    const { columns, keys } = await readTable(new File([content], "labels.csv"));
    expect(columns).toEqual(["a, b; c", "label"]);
    expect(keys).toEqual(["file"]);
  });

  it("divides by tabs what is called so, whatever else its header holds", async () => {
    const file = new File(["file\twhat, it, is\n1.png\tcat\n"], "labels.TSV");
    expect((await readTable(file)).columns).toEqual(["what, it, is"]);
  });

  it("tells which columns may name the image", async () => {
    expect((await csv("example_id,label,sha256,name\n")).keys).toEqual([
      "example_id",
      "sha256",
      "name",
    ]);
  });

  it("reads quoted headers", () => {
    expect(fields('file,"a, b","say ""c""",')).toEqual(["file", "a, b", 'say "c"', ""]);
  });

  it("needs no question where it states verdicts, as our exports do", async () => {
    expect((await csv("annotation_id,sha256,verdict,class\n")).states).toBe(true);
  });

  it("reads the keys of JSON Lines, of which the last may be cut off", async () => {
    const text = '{"file": "a.png", "worse": 1}\n\n{"file": "b.png", "sure": 0}\n{"file": "c';
    const { columns } = await readTable(new File([text], "labels.JSONL"));
    expect(columns).toEqual(["worse", "sure"]);
  });
});

it("takes a typed list of columns", () => {
  expect(columnsOf(" worse_label, random 1,,")).toEqual(["worse_label", "random 1"]);
});

describe("a table of texts", () => {
  it.each([
    ["id,Body,topic\n", { text: "Body", label: "topic" }],
    ["text,class,when\n", { text: "text", label: "class" }],
    ["id,title,topic\n", { text: "title", label: "topic" }],
    ["file,label\n", null],
    ["image,label\n", null],
    ["example_id,text,label\n", null],
  ])("is known by its columns: %j", async (header, expected) => {
    expect(textsIn(await csv(header))).toEqual(expected);
  });
});

it("takes what only tells rows apart for no labels", async () => {
  expect(textsIn(await csv("id,text\n"))).toEqual({ text: "text", label: "" });
  const split = await csv("id,text,topic,Split,is_test\n");
  expect(textsIn(split)).toEqual({ text: "text", label: "topic" });
});

describe("a table that is compressed", () => {
  const packed = async (text: string, name: string) => {
    const body = new Response(text).body?.pipeThrough(new CompressionStream("gzip"));
    return new File([await new Response(body).arrayBuffer()], name);
  };

  it("is looked into, however long it is", async () => {
    const line = `${JSON.stringify({ text: "x".repeat(50), label: "cat" })}\n`;
    const table = await readTable(await packed(line.repeat(20_000), "a.jsonl.gz"));
    expect(table.columns).toEqual(["text", "label"]);
    expect((await readTable(await packed("file,label\n", "A.CSV.GZ"))).keys).toEqual(["file"]);
  });

  it("has no columns if it is none", async () => {
    expect((await readTable(new File(["file,label\n"], "a.csv.gz"))).columns).toEqual([]);
  });

  it.each(["a.tar", "a.TGZ", "a.tar.xz", "a.zip", "a.parquet", "a.csv.xz"])("%s is sent", (name) =>
    expect([isArchive(name), isTable(name)]).toEqual([true, false]),
  );
});
