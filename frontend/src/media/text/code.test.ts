import { expect, it } from "vitest";
import { isCode } from "./code";

it.each([
  "def add(a, b):\n    return a + b\n\nprint(add(1, 2))",
  'const x = 1;\nif (x) {\n  run("it");\n}',
  "<html>\n<body>\n<p>Hello</p>\n</body>\n</html>",
  '{"a": [1, 2], "b": null}',
  "name      price   stock\napple     1.20    4\npear      0.90    12",
])("takes %j for code", (text) => {
  expect(isCode(text)).toBe(true);
});

it.each([
  "The parcel came two days late.",
  "First of all: thank you!\n\nIf you want, I can send it back; otherwise I will keep it.\nBest,\nAnna",
  "- bring water\n- bring bread\n- be there at nine",
  "שלום עולם\nמה שלומך היום?",
  "See this   and\nthat.",
  "See https://example.org/?a=b&c=d for more.\nIt is free.",
])("takes %j for prose", (text) => {
  expect(isCode(text)).toBe(false);
});
