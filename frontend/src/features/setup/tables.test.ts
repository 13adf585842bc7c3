import { describe, expect, it } from "vitest";
import { columnsOf, fields, labelColumns } from "./tables";

describe("a table of labels", () => {
  it("offers every column but those that name the image", async () => {
    const file = new Blob(["\uFEFFfile,clean label,worse_label\r\na.png,1,2\r\n"]);
    expect(await labelColumns(file)).toEqual(["clean label", "worse_label"]);
  });

  it("loses no column beside one without a name, as pandas writes it", async () => {
    expect(fields(",label,file")).toEqual(["", "label", "file"]);
    expect(await labelColumns(new Blob([',label,"",file\n0,cat,x,a.png\n']))).toEqual(["label"]);
  });

  it("reads quoted headers", () => {
    expect(fields('file,"a, b","say ""c""",')).toEqual(["file", "a, b", 'say "c"', ""]);
  });
});

it("takes a typed list of columns", () => {
  expect(columnsOf(" worse_label, random 1,,")).toEqual(["worse_label", "random 1"]);
});
