import { askedFor, parametersOf } from "../../api/algorithms";
import type { Algorithm, Job } from "../../api/types";

const LIBRARIES = ["torchvision", "timm"];
const isPackaged = (network: string): boolean => network.startsWith("efficientnet_lite");

/** What parameters of networks ask for, where a job learns with any network. */
const OF_NETWORKS: Record<string, (network: string, mode: string) => boolean> = {
  width: (network) => network === "cnn_tiny",
  mode: (network) => LIBRARIES.includes(network) || isPackaged(network),
  tuned: (network, mode) => isPackaged(network) && mode === "finetune",
  architecture: (network) => LIBRARIES.includes(network),
  pretrained: (network, mode) => LIBRARIES.includes(network) && mode !== "scratch",
  weights: (network, mode) => LIBRARIES.includes(network) && mode !== "scratch",
  input_size: (network) => LIBRARIES.includes(network) || isPackaged(network),
};

/** Which training of the job that compares regularizers goes by a parameter. */
const OF_TRAININGS: Record<string, string> = {
  temperature: "mixmatch",
  augmentations: "mixmatch",
  alpha: "mixmatch",
  lambda_u: "mixmatch",
  ramp_steps: "mixmatch",
  least_purity: "mixmatch",
  epsilon: "adversarial",
  attack_step: "adversarial",
  attack_steps: "adversarial",
  judging_steps: "adversarial",
  judging_images: "adversarial",
  attack_ood: "adversarial",
};

/** A job that is asked for nothing that the chosen network and training do not go by. */
export function relevant(algorithm: Algorithm, params: Job["params"]): Algorithm {
  const all = parametersOf(algorithm);
  const ofNetwork = "architecture" in all ? OF_NETWORKS : {};
  const ofTraining = "training" in all ? OF_TRAININGS : {};
  const { network, mode, training } = params;
  return askedFor(
    algorithm,
    (name) =>
      (ofNetwork[name]?.(String(network), String(mode)) ?? true) &&
      (ofTraining[name] ?? training) === training,
  );
}
