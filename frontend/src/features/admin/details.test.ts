import { expect, it } from "vitest";
import { detailsOf, programOf } from "./details";

it("says what a value was and what it became", () => {
  const detail = { fields: ["settings"], changes: { "settings.budget": [40, 60] } };
  expect(detailsOf(detail)).toEqual([["settings.budget", "40 → 60"]]);
});

it("says of settings with parameters only what changed in them", () => {
  const params = { epochs: 30, flip: true, width: 64 };
  const before = { name: "auto", params };
  const changes = {
    "settings.model": [before, { name: "auto", params: { ...params, epochs: 60 } }],
  };
  expect(detailsOf({ changes })).toEqual([["settings.model.params.epochs", "30 → 60"]]);
  const other = { "settings.model": [before, { name: "timm", params: {} }] };
  expect(detailsOf({ changes: other })).toContainEqual(["settings.model.name", "auto → timm"]);
});

it("says which texts changed, and leaves out what the row says already", () => {
  expect(detailsOf({ fields: ["guidelines"], changes: {} })).toEqual([["fields", "guidelines"]]);
  const params = { tau: null, ratio: 0.5, layers: [1, 2] };
  expect(detailsOf({ params })).toEqual([
    ["params.ratio", "0.5"],
    ["params.layers", "1, 2"],
  ]);
  expect(detailsOf({ email: "ada@example.org", params: {}, kind: "prune" })).toEqual([
    ["kind", "prune"],
  ]);
});

it.each([
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
    "Chrome 140",
  ],
  ["Mozilla/5.0 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge 140"],
  ["Mozilla/5.0 (Macintosh) AppleWebKit/605.1 Version/18.1 Safari/605.1", "Safari 18"],
  ["karat/1.2.0", "karat/1.2.0"],
  ["curl/8.5.0 (x86_64)", "curl/8.5.0"],
])("calls %s what people call it", (agent, name) => {
  expect(programOf(agent)).toBe(name);
});
