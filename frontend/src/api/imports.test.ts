import { expect, it } from "vitest";
import { listed } from "./imports";

const of = (params: Record<string, string>) => listed({ id: 7, params });

it("lists what was zipped to be sent as what it was", () => {
  expect(of({ filename: "flowers.zip", packed: "folder" })).toEqual({
    name: "flowers",
    kind: "folder",
  });
  expect(of({ filename: "flowers.zip" })).toEqual({ name: "flowers.zip", kind: "zip" });
});

it("tells files from what stays in a bucket or on the server", () => {
  expect(of({ filename: "votes.CSV" }).kind).toBe("labels");
  expect(of({ filename: "votes.csv.gz" }).kind).toBe("labels");
  expect(of({ filename: "flowers.TGZ" }).kind).toBe("tar");
  expect(of({ filename: "bee.jpeg" }).kind).toBe("image");
  expect(of({ filename: "s3://photos/2024", location: "s3://photos/2024" }).kind).toBe("bucket");
  expect(of({ filename: "file:///photos", location: "file:///photos" }).kind).toBe("server");
});
