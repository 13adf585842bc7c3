import { describe, expect, it } from "vitest";
import type { Algorithm } from "../api/types";
import { said as told } from "../strings/en/said";
import refusals from "../strings/ko/refusals.json";
import notes from "../strings/ko/sentences.json";
import { titled } from "./titled";

const one = (kind: string, name: string, title: string, parameters = {}) =>
  ({ kind, name, title, params_schema: { properties: parameters } }) as unknown as Algorithm;
const ALGORITHMS = [
  one("purity", "probe", "Probe of the verdicts"),
  one("purity", "objects", "Something is in it"),
  one("strategy", "similar", "Near to the classes"),
  one("model", "fcos", "Boxes on packaged features", { classes: { title: "Names" } }),
  one("job", "learn_features", "Learn features"),
  one("model", "minilm", "MiniLM sentence embeddings"),
  one("model", "hashed_ngrams", "Hashed n-grams"),
];

it.each([
  [
    "Purity objects needs a detector, as fcos is.",
    "Purity “Something is in it” needs a detector, as “Boxes on packaged features” is.",
  ],
  [
    "Strategy similar covered a sample of similar ones; start the job learn_features.",
    "Strategy “Near to the classes” covered a sample of similar ones; start the job “Learn features”.",
  ],
  ["choose probe as the purity", "choose “Probe of the verdicts” as the purity"],
  [
    "Told apart by minilm, surely the best. How wrong each is (log loss): minilm 0.04, both 0.10, hashed_ngrams 0.25.",
    "Told apart by “MiniLM sentence embeddings”, surely the best. How wrong each is (log loss): “MiniLM sentence embeddings” 0.04, both 0.10, “Hashed n-grams” 0.25.",
  ],
  ["set its parameter classes.", "set its parameter “Names”."],
  ["Strategy unheard_of stands in.", "Strategy unheard_of stands in."],
])("names what %s means", (said, meant) => {
  expect(titled(said, said, ALGORITHMS)).toBe(meant);
});

it("names parameters that are known to be some, where no word of English may be meant", () => {
  const told = "classes: 1자 이상이어야 합니다";
  expect(titled("Model fcos: classes: must have …", told, ALGORITHMS, ["classes"])).toBe(
    "“Names”: 1자 이상이어야 합니다",
  );
  const english = "must name classes";
  expect(titled(english, english, ALGORITHMS, ["classes"])).toBe(english);
});

it("finds names in other languages by the English that they were told in", () => {
  const told = "순도 점수 probe는 답변으로 학습합니다.";
  expect(titled("Purity probe learns from answers.", told, ALGORITHMS)).toBe(
    "순도 점수 “Probe of the verdicts”는 답변으로 학습합니다.",
  );
});

/** What tables and files of people call their columns, and a library by its name. */
const COLUMNS = ["bbox_format", "category_id", "example_id", "file_name", "open_clip"];
/** Of no parts of Python, as `timm.list_models()`. */
const NAME = /(?<!\.)\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g;

it("leaves no name in any sentence of the server", () => {
  const sentences = Object.keys({ ...notes, ...refusals }).map((one) => one.replaceAll("{}", "7"));
  const names = [...new Set(sentences.flatMap((one) => told(one).match(NAME) ?? []))];
  const all = names
    .filter((name) => !COLUMNS.includes(name))
    .map((name) => one("model", name, "A title"));
  expect(all.length).toBeGreaterThan(10);
  const left = sentences.flatMap((one) => titled(one, told(one), all).match(NAME) ?? []);
  expect(left.filter((name) => !COLUMNS.includes(name))).toEqual([]);
});

describe("what the server says", () => {
  const sources = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const places = (pattern: RegExp) =>
    Object.keys(sources)
      .filter((path) => pattern.test(sources[path] ?? ""))
      .map((path) => path.split("/").at(-1));

  it("is put into people's language in one place", () => {
    expect(places(/common\.said\(/)).toEqual(["titled.ts"]);
  });

  it("is read of an error in one place", () => {
    // Beside it: where one is kept, as code and sentence, for a later page. What a page has broken
    // over is of a library: nothing of ours may be needed to show it.
    expect(places(/\b(?!styles\b|job\b)\w+\??\.message\b/).sort()).toEqual([
      "ErrorPages.tsx",
      "Said.tsx",
      "sender.ts",
    ]);
    expect(places(/String\((error|thrown)\)/)).toEqual(["uploads.ts"]);
  });
});
