// @vitest-environment node
import { deflateRawSync } from "node:zlib";
import { downloadZip } from "client-zip";
import { expect, it } from "vitest";
import { zipFiles } from "./zipFiles";

const names = async (blob: Blob) => (await zipFiles(blob))?.map(({ path }) => path) ?? null;

it("reads the names of the files in a zip", async () => {
  const files = ["images/a.jpg", "labels/a.txt", "사진.png"].map((name) => ({
    name,
    input: "0 1",
  }));
  expect(await names(await downloadZip(files).blob())).toEqual(files.map(({ name }) => name));
});

it("reads none of what is no zip, or is cut off", async () => {
  const whole = await downloadZip([{ name: "a.jpg", input: "0" }]).blob();
  expect(await names(whole.slice(0, whole.size - 30))).toBeNull();
  expect(await names(new Blob(["PK"]))).toBeNull();
  expect(await names(new Blob())).toBeNull();
});

it.each([
  ["stored", { method: 0 }],
  ["deflated", { method: 8 }],
])("looks at how a file begins and ends that is %s", async (_, { method }) => {
  const text = `{"images": [${"1,".repeat(1_000_000)}2], "annotations": [{"bbox": [1]}]}`;
  const found = await zipFiles(zipOf("annotations.json", text, method));
  const shown = await found?.[0]?.peek();
  expect(shown?.startsWith('{"images"')).toBe(true);
  expect(shown).toContain('"bbox"');
  expect(shown?.length).toBeLessThan(1_000_000);
});

it("looks at nothing that is encrypted, broken or packed otherwise", async () => {
  const text = "{}".repeat(100);
  for (const zip of [
    zipOf("a.json", text, 8, { flags: 1 }),
    zipOf("a.json", text, 8, { broken: true }),
    zipOf("a.json", text, 12),
  ])
    expect(await (await zipFiles(zip))?.[0]?.peek()).toBeNull();
});

/** A zip of one file, as other tools write it. */
function zipOf(
  name: string,
  text: string,
  method: number,
  { flags = 0, broken = false }: { flags?: number; broken?: boolean } = {},
): Blob {
  const content = method === 8 ? deflateRawSync(text) : Buffer.from(text);
  if (broken) content.fill(0xff);
  const bytes = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(bytes.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(content.length, 20);
  entry.writeUInt16LE(bytes.length, 28);
  const start = 30 + bytes.length + content.length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(46 + bytes.length, 12);
  end.writeUInt32LE(start, 16);
  return new Blob([local, bytes, content, entry, bytes, end]);
}
