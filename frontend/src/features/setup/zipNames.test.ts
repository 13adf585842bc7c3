// @vitest-environment node
import { downloadZip } from "client-zip";
import { expect, it } from "vitest";
import { zipNames } from "./zipNames";

it("reads the names of the files in a zip", async () => {
  const files = ["images/a.jpg", "labels/a.txt", "사진.png"].map((name) => ({
    name,
    input: "0 1",
  }));
  expect(await zipNames(await downloadZip(files).blob())).toEqual(files.map(({ name }) => name));
});

it("reads none of what is no zip, or is cut off", async () => {
  const whole = await downloadZip([{ name: "a.jpg", input: "0" }]).blob();
  expect(await zipNames(whole.slice(0, whole.size - 30))).toBeNull();
  expect(await zipNames(new Blob(["PK"]))).toBeNull();
  expect(await zipNames(new Blob())).toBeNull();
});
