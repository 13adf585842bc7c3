import { expect, it } from "vitest";
import { settingOf, trainsAs } from "./choice";

const plain = { name: "cnn_tiny", params: { steps: 30 } };
const filled = { steps: 30, taufe: 0, oat: 0, ood_class: false, loss_prediction: false };

it("knows a method by all that decides it", () => {
  expect(trainsAs({ name: "cnn_tiny", params: filled }, plain)).toBe(true);
  for (const other of [{ taufe: 0.1 }, { oat: 1 }, { ood_class: true }, { steps: 31 }]) {
    expect(trainsAs({ name: "cnn_tiny", params: { ...filled, ...other } }, plain)).toBe(false);
  }
  expect(trainsAs({ name: "resnet18_small", params: filled }, plain)).toBe(false);
});

it("keeps the loss prediction that a score needs", () => {
  const needed = { name: "timm", params: { loss_prediction: true } };
  expect(settingOf(needed, plain).params).toEqual({ steps: 30, loss_prediction: true });
  expect(settingOf({ name: "timm", params: filled }, plain).params).toEqual({ steps: 30 });
});
