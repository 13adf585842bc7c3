import { expect, it } from "vitest";
import { imageUrl, onScreen, sized } from "./urls";

it("asks for a small version of an address, with or without a query", () => {
  expect(sized("/api/examples/7/image?v=2", 256)).toBe("/api/examples/7/image?v=2&size=256");
  expect(sized("/images/7", 128)).toBe("/images/7?size=128");
});

it("names the same address as the server does, apart from the size", () => {
  expect(imageUrl(7, 64)).toMatch(/^\/api\/examples\/7\/image\?v=\d+&size=64$/);
});

it.each([
  [4000, 3000, "/a?size=2000"],
  [2001, 2000, "/a?size=2000"],
  [2000, 2001, "/a?size=2000"],
  [2000, 2000, "/a"],
  [3000, 1000, "/a"],
  [64, 64, "/a"],
])("shows an image of %i × %i pixels on a screen at %s", (width, height, url) => {
  expect(onScreen({ image_url: "/a", width, height })).toBe(url);
});
