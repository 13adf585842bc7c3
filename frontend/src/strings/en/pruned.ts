import { locale } from "../language";

/** How good a subset is. */
export const trial = {
  title: "Trained on it",
  hint: (images: number) =>
    `What a head on the frozen features names rightly of the ${images.toLocaleString(locale)} evaluation images, which none has learned from. To train a network, start Relabel with this subset.`,
  learned: "Learned from",
  parts: { kept: "What is kept", random: "As many at random", all: "All labels" },
  heads: { ce: "Believes each label", sop_plus: "Withstands wrong labels" },
};

export const premise = {
  title: "Sure surroundings",
  hint: "Prune4ReL counts on one thing: the surer the kept labels around an image, the more often a model that learned from them names its class rightly. Here are all labeled images by how sure their surroundings are, in up to 15 groups from the least sure to the surest.",
  right: "Right, by group",
  rightHint: "Of the images whose class is known; point at a group to see it.",
  relabeled: {
    head: "Named rightly by a model of the kept",
    warm_up: "Named rightly by the warm-up",
  },
  labels: "Given label right",
  counts: "Images, by group",
  countsHint: "How many images have surroundings as sure as that.",
  group: (number: number, low: string, high: string) => `Group ${number}, ${low} to ${high}`,
  of: (known: number) => `of ${known.toLocaleString(locale)}`,
  correlation: "Rank correlation",
  correlationHint:
    "Spearman's, of the groups: 1 where each surer group has more right, 0 where it makes no difference, -1 where it is the other way round.",
  named: "named rightly",
  given: "given label right",
  known: "Class known",
  from: {
    truth: "Right is the class that an image came with.",
    reviews:
      "Right is what reviewers said of suggestions; they looked at doubtful labels, so the shares are of these.",
  },
  holds: "It holds here: surer surroundings go with more that is named rightly.",
  weak: "It hardly shows here: surer surroundings make little difference.",
  fails:
    "It does not hold here: surer surroundings go with less that is named rightly. Try another network or more epochs, or choose Small loss.",
  tooFew: "Too few groups have images whose class is known to say whether it holds.",
  learned:
    "Whether it holds nobody knows: the warm-up has learned what reviewers said, and cannot be judged by it. Frozen features can, or images that came with their class.",
  unknown:
    "Whether it holds nobody knows yet: no image came with a label, and no suggestion has been reviewed. So only how many images are in each group is shown.",
};
