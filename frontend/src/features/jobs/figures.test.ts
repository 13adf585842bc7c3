import { expect, it } from "vitest";
import type { Comparison, Detection, MethodFigures } from "../../api/results";
import { bestOf, linesOf, nameOf, ofClass, trainedOf } from "./figures";

const detection = (auroc: number, aupr_out: number, fpr95: number): Detection => ({
  auroc,
  aupr_out,
  fpr95,
});

const figures = (accuracy: number | null, fpr95: number): MethodFigures => ({
  accuracy,
  per_class: [],
  similarity: null,
  msp: { auroc: 0.5, aupr_out: 0.5, fpr95 },
  energy: null,
});

const result: Comparison = {
  methods: { standard: figures(0.5, 0.9), oat: figures(0.6, 0.7), taufe: figures(0.6, 0.8) },
  settings: {
    standard: { name: "cnn_tiny", params: {} },
    oat: { name: "cnn_tiny", params: {} },
    taufe: { name: "cnn_tiny", params: {} },
  },
  class_ids: [],
  judged_on: "evaluation",
  counts: { inside: 1, verdicts: 1, auxiliary: 0, test: 1000, test_ood: 1000, left_out: 0 },
};

const lineOf = (label: string) => {
  const found = linesOf(result).find((line) => line.label === label);
  if (!found) throw new Error(label);
  return found;
};

it("tells how well each score parts OOD, by both scores and all three measures", () => {
  const one: MethodFigures = {
    ...figures(0.5, 0),
    msp: detection(0.81, 0.72, 0.63),
    energy: detection(0.54, 0.45, 0.36),
  };
  const two: MethodFigures = {
    ...figures(0.5, 0),
    msp: detection(0.82, 0.73, 0.64),
    energy: detection(0.53, 0.44, 0.35),
  };
  const lines = linesOf({ ...result, methods: { standard: one, oat: two, taufe: one } });
  expect(lines.slice(2).map((line) => [line.label, line.values.map(line.format)])).toEqual([
    ["AUROC, largest probability", ["0.81 (0.79–0.83)", "0.82 (0.80–0.84)", "0.81 (0.79–0.83)"]],
    ["AUPR out, largest probability", ["72.0\u00a0%", "73.0\u00a0%", "72.0\u00a0%"]],
    [
      "FPR95, largest probability",
      ["63.0\u00a0% (59–66)", "64.0\u00a0% (60–67)", "63.0\u00a0% (59–66)"],
    ],
    ["AUROC, energy", ["0.54 (0.51–0.57)", "0.53 (0.50–0.56)", "0.54 (0.51–0.57)"]],
    ["AUPR out, energy", ["45.0\u00a0%", "44.0\u00a0%", "45.0\u00a0%"]],
    ["FPR95, energy", ["36.0\u00a0% (33–40)", "35.0\u00a0% (32–39)", "36.0\u00a0% (33–40)"]],
  ]);
});

it("tells no area of so few images that it might be nearly anything", () => {
  const few = { ...result, counts: { ...result.counts, test: 11, test_ood: 8 } };
  const said = linesOf(few).flatMap((line) => line.values.map(line.format));
  expect(said.filter((one) => one !== "–").every((one) => one === "too few yet")).toBe(true);
});

it("marks every best value, whichever direction is better", () => {
  expect(bestOf(lineOf("Accuracy"))).toEqual([false, true, true]);
  expect(bestOf(lineOf("FPR95, largest probability"))).toEqual([false, true, false]);
});

it("marks nothing where all are equal or unknown", () => {
  expect(bestOf(lineOf("AUROC, largest probability"))).toEqual([false, false, false]);
  expect(bestOf(lineOf("AUROC, energy"))).toEqual([false, false, false]);
  expect(lineOf("Similarity of classes").format(null, 0)).toBe("–");
});

it("calls nothing best that another may equal, and tells no share of few images", () => {
  const judgedOn = (test: number) => linesOf({ ...result, counts: { ...result.counts, test } })[0];
  for (const [test, told, best] of [
    [1000, "60.0\u00a0% (56–63)", [false, true, true]],
    [30, "60.0\u00a0% (42–76)", [false, false, false]],
    [19, "too few yet", [false, false, false]],
  ] as const) {
    const line = judgedOn(test);
    if (!line) throw new Error("Accuracy");
    expect(line.format(line.values[1] ?? null, 1)).toBe(told);
    expect(bestOf(line)).toEqual(best);
  }
});

it("tells the accuracy of a class by how many images it has, where those were counted", () => {
  const standard = { ...figures(0.5, 0.9), per_class: [0.5, 0.5, null] };
  const counted = { ...result, methods: { ...result.methods, standard } };
  const told = (per_class_examples?: number[]) =>
    [0, 1, 2].map((at) =>
      ofClass({ ...counted, ...(per_class_examples && { per_class_examples }) }, "standard", at),
    );
  expect(told([100, 10, 0])).toEqual(["50.0\u00a0% (40–60)", "too few yet", "–"]);
  expect(told()).toEqual(["50.0\u00a0%", "50.0\u00a0%", "–"]);
});

it("shows a plain network beside those that learn otherwise, and how they withstand attacks", () => {
  expect(trainedOf(result)).toEqual(["standard", "oat", "taufe"]);
  expect(linesOf(result).map(({ label }) => label)).not.toContain("Accuracy on attacked images");
  const attacked: Comparison = {
    ...result,
    training: "adversarial",
    methods: { ...result.methods, supervised: { ...figures(0.7, 0.8), attacked_accuracy: 0 } },
    counts: { ...result.counts, attacked: 100 },
  };
  expect(trainedOf(attacked).map((method) => nameOf(attacked, method))).toEqual([
    "Images as they are",
    "Adversarial",
    "Adversarial, OAT",
    "Adversarial, TAUFE",
  ]);
  const line = linesOf(attacked).find(({ label }) => label === "Accuracy on attacked images");
  expect(line?.values).toEqual([0, null, null, null]);
});
