import { expect, it } from "vitest";
import type { Comparison, Detection, MethodFigures } from "../../api/results";
import { bestOf, linesOf } from "./figures";

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
  counts: { inside: 1, verdicts: 1, auxiliary: 0, test: 1, test_ood: 1, left_out: 0 },
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
  expect(
    lines.slice(2).map((line) => [line.label, line.values.map(line.format), bestOf(line)]),
  ).toEqual([
    ["AUROC, largest probability", ["81.0 %", "82.0 %", "81.0 %"], [false, true, false]],
    ["AUPR out, largest probability", ["72.0 %", "73.0 %", "72.0 %"], [false, true, false]],
    ["FPR95, largest probability", ["63.0 %", "64.0 %", "63.0 %"], [true, false, true]],
    ["AUROC, energy", ["54.0 %", "53.0 %", "54.0 %"], [true, false, true]],
    ["AUPR out, energy", ["45.0 %", "44.0 %", "45.0 %"], [true, false, true]],
    ["FPR95, energy", ["36.0 %", "35.0 %", "36.0 %"], [false, true, false]],
  ]);
});

it("marks every best value, whichever direction is better", () => {
  expect(bestOf(lineOf("Accuracy"))).toEqual([false, true, true]);
  expect(bestOf(lineOf("FPR95, largest probability"))).toEqual([false, true, false]);
});

it("marks nothing where all are equal or unknown", () => {
  expect(bestOf(lineOf("AUROC, largest probability"))).toEqual([false, false, false]);
  expect(bestOf(lineOf("AUROC, energy"))).toEqual([false, false, false]);
  expect(lineOf("Similarity of classes").format(null)).toBe("–");
});
