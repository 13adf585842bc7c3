import { expect, it } from "vitest";
import type { Comparison, MethodFigures } from "../../api/types";
import { bestOf, linesOf } from "./figures";

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

it("marks every best value, whichever direction is better", () => {
  expect(bestOf(lineOf("Accuracy"))).toEqual([false, true, true]);
  expect(bestOf(lineOf("FPR95, largest probability"))).toEqual([false, true, false]);
});

it("marks nothing where all are equal or unknown", () => {
  expect(bestOf(lineOf("AUROC, largest probability"))).toEqual([false, false, false]);
  expect(bestOf(lineOf("AUROC, energy"))).toEqual([false, false, false]);
  expect(lineOf("Similarity of classes").format(null)).toBe("–");
});
