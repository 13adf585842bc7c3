import { expect, test } from "vitest";
import { parametersOf } from "../../api/algorithms";
import type { Algorithm, Job } from "../../api/types";
import { relevant } from "./relevant";

const OF_NETWORKS = [
  "width",
  "mode",
  "tuned",
  "architecture",
  "pretrained",
  "weights",
  "input_size",
];
const OF_TRAININGS = ["training", "taufe", "alpha", "epsilon", "steps"];

const shown = (names: string[], params: Job["params"]) => {
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const job = { params_schema: { properties } } as unknown as Algorithm;
  return Object.keys(parametersOf(relevant(job, params)));
};
const withNetwork = (network: string, mode: string) =>
  shown(["network", ...OF_NETWORKS, "epochs"], { network, mode });
const withTraining = (training: string) => shown(OF_TRAININGS, { training });

test("a network is asked for nothing that is of others", () => {
  expect(withNetwork("auto", "frozen")).toEqual(["network", "epochs"]);
  expect(withNetwork("cnn_tiny", "frozen")).toEqual(["network", "width", "epochs"]);
  expect(withNetwork("efficientnet_lite0", "frozen")).toEqual([
    "network",
    "mode",
    "input_size",
    "epochs",
  ]);
  expect(withNetwork("efficientnet_lite0", "finetune")).toContain("tuned");
  expect(withNetwork("timm", "frozen")).toEqual([
    "network",
    "mode",
    "architecture",
    "pretrained",
    "weights",
    "input_size",
    "epochs",
  ]);
  expect(withNetwork("timm", "scratch")).not.toContain("weights");
});

test("a training is asked for nothing that is of others", () => {
  expect(withTraining("supervised")).toEqual(["training", "taufe", "steps"]);
  expect(withTraining("mixmatch")).toEqual(["training", "taufe", "alpha", "steps"]);
  expect(withTraining("adversarial")).toEqual(["training", "taufe", "epsilon", "steps"]);
});

test("what a job without a choice of networks or trainings asks for stays", () => {
  expect(shown(["network", "width"], { network: "resnet18_small" })).toEqual(["network", "width"]);
  expect(shown(["alpha", "epsilon"], {})).toEqual(["alpha", "epsilon"]);
});
