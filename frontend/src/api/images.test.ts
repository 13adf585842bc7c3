import { expect, it } from "vitest";
import { imageUrl, sized } from "./images";

it("asks for a small version of an address, with or without a query", () => {
  expect(sized("/api/examples/7/image?v=2", 256)).toBe("/api/examples/7/image?v=2&size=256");
  expect(sized("/images/7", 128)).toBe("/images/7?size=128");
});

it("names the same address as the server does, apart from the size", () => {
  expect(imageUrl(7, 64)).toMatch(/^\/api\/examples\/7\/image\?v=\d+&size=64$/);
});
