/** What values of parameters are called that do not say it themselves. */
export const values: Readonly<Record<string, string>> = {
  auto: "automatic",
  auxiliary_ood: "images known to be none",
  cam: "activation map",
  d_iou: "distance and overlap",
  diff_prob: "difference of the two highest probabilities",
  finetune: "fine-tuned",
  flcmi: "facility location",
  in: "images of a class",
  l1: "distance of edges",
  l1_iou: "distance of edges, and overlap",
  last: "the last two stages",
  logdetcmi: "log-determinant",
  max_prob: "highest probability",
  per_second: "per second",
  scratch: "from scratch",
  self: "all answers",
};
