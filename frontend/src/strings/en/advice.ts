import { locale } from "../language";
import { plural } from "./words";

/** What a project is after, how sure figures are, and what follows from them. */
export const advice = {
  tooFew: "too few yet",
  fewImages: "Drawn from 20 images to evaluate on.",
  within: (value: string, low: string, high: string) => `${value} (${low}–${high})`,
  interval: (count: number) => `95 % interval in brackets, of ${count.toLocaleString(locale)}`,
  ofChosen: (count: number) =>
    `95 % interval in brackets, of ${count.toLocaleString(locale)} that the round chose`,
  goal: {
    title: "What are you after?",
    hint: "It decides which images are asked about, and what the overview tells you. It can be changed later.",
    names: { best_model: "The best model", find_all: "Find all of mine" },
    hints: {
      best_model:
        "A model that tells your classes apart. It asks about images that it can learn most from.",
      find_all:
        "Every image that belongs to your classes. It asks about the most likely ones first.",
    },
    strategy: (strategy: string) => `Strategy: ${strategy}.`,
    kept: (strategy: string) => `Your own choice of strategy stays: ${strategy}.`,
  },
  firstQueue: {
    label: "First images",
    hint: "What the first round asks about, while there is no model. It opens with random images; when the pool has been looked at, typical ones take the place of what nobody has seen.",
    typical: "Typical ones, and one in four at random",
    random: "All at random",
  },
  finding: {
    title: "How much is found?",
    found: (images: number) => `${plural(images, "image", "images")} found so far`,
    left: (left: string, low: string, high: string) =>
      `About ${left} more in the pool (95 % interval ${low} to ${high}), by the random images of the first round and by what the model makes of each image.`,
    notEstimated:
      "How many are left is estimated when a round closes that has images of your classes and others.",
    yield: (inside: string, answers: string, low: string, high: string) =>
      `${inside} of the last ${answers} answers to what rounds chose found one (${low} to ${high}).`,
    fewAnswers: (answers: number, needed: string) =>
      `${plural(answers, "answer is", "answers are")} too few to tell how soon more are found; ${needed} are needed.`,
    advice: {
      stop: "Few are left to find: another round is hardly worth its answers.",
      go_on: "There is more to find, and the next answers are likely to find it.",
      unclear: "It is not clear how many are left to find.",
      unknown: "It cannot be told yet how many are left to find.",
    },
  },
  cannotTell: {
    title: "This model cannot tell your images apart.",
    text: (auroc: string) =>
      `Of an image of your classes and one of none it knows which is which in ${auroc} of 100 cases; guessing knows it in 50. Its choice of images is hardly better than a random one.`,
    change: (model: string) =>
      `Choose the model “${model}” in the settings: for photographs it knows most from the start.`,
    larger:
      "Have the model see the images larger, if what tells them apart is small, or choose a published network; look at some images by eye whether they can be told apart at all.",
    settings: "To the settings",
  },
  oneClass: {
    accuracy: "Class or none",
    hint: "How often images of the class and of none are told apart, after each round; both count alike, so that guessing gets 50 %",
    auroc: "Class against none (AUROC)",
    none: "Add images of none of the classes, too, as “Known to be none”, and answer until both kinds are known.",
  },
  time: {
    ask: "How long would a round take?",
    asking: "Measuring on this machine …",
    about: (model: string, time: string, device: string) =>
      `${model} on this machine (${device}): ${time} a round.`,
    once: (time: string) => `Before, once, ${time} to look at the images for the first time.`,
    failed: "It could not be measured.",
    noImages: "Import images first: what a round takes is measured on them.",
  },
};
