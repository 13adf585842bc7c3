/** Every word that has a meaning of its own here, for the page of words and for the hover over a word. */
export const glossary = {
  title: "Words",
  hint: "What words mean in Karat. Pages explain them too where they are underlined with dots: point at them.",
  everybody: "For everybody",
  experts: "For those who run projects",
  words: {
    verdict: {
      word: "Verdict",
      text: "What somebody says of an image: a class, none of the classes, unsure, or skip. Pages for engineers and the API also call it an answer.",
    },
    none: {
      word: "None of the classes",
      text: "A verdict: the image shows none of the project’s classes. None where space is short; experts say out of distribution, or OOD.",
    },
    unsure: {
      word: "Unsure",
      text: "A verdict: it may be one of the classes, but one cannot tell. The image is put aside.",
    },
    skip: { word: "Skip", text: "Not now: the image can be chosen again later." },
    label: { word: "Label", text: "What holds of an image, after all verdicts on it." },
    round: {
      word: "Round",
      text: "The model chooses images, people give verdicts on them, and the model learns from these.",
    },
    pool: { word: "Pool", text: "The images from which rounds choose." },
    queue: {
      word: "Queue",
      text: "The images that a round asks about. As a rule half as many again wait as its budget pays for, so that nobody runs out of them while the model learns; the round ends when its budget is spent.",
    },
    suggestion: {
      word: "Suggestion",
      text: "What a model proposes before anybody has answered, boxes or a class; or another label for an image whose label is doubted, on which somebody decides in a review.",
    },
    prediction: {
      word: "Prediction",
      text: "What a model says of an image. That of a model of yours can be imported: it is suggested, and is nobody’s label.",
    },
    note: {
      word: "Note",
      text: "Words that somebody puts beside their verdict, for whoever looks at it later.",
    },
    withdrawn: {
      word: "Withdrawn",
      text: "An image that was taken out for good: its file and its notes are gone, its answers count for nothing, and nothing takes it back.",
    },
    disagreement: {
      word: "Disagreement",
      text: "Verdicts on an image that contradict each other.",
    },
    label_quality: {
      word: "Label quality",
      text: "How well a label fits its image, from 0 to 100 %, judged by a model that has not seen the label. Computed as by cleanlab.",
    },
  },
  terms: {
    ood: {
      word: "OOD",
      text: "Out of distribution: of none of the project’s classes. So methods, files, the API and the command line call the verdict “None of the classes”, and with boxes “Wrong kind of image”.",
    },
    inside: { word: "IN", text: "In distribution: of one of the project’s classes." },
    budget: {
      word: "Budget",
      text: "What the verdicts of a round may cost; without prices, how many there are.",
    },
    strategy: { word: "Query strategy", text: "How a round chooses the images to ask about." },
    purity: {
      word: "Purity",
      text: "How likely an image shows one of the classes, to the model; the higher, the likelier.",
    },
    informativeness: {
      word: "Informativeness",
      text: "How much the model would learn from a verdict on an image; the higher, the more.",
    },
    strategy_score: {
      word: "Strategy score",
      text: "What the query strategy makes of an image; the highest are chosen first. Meta-score, or meta_score, in the API.",
    },
    auroc: {
      word: "AUROC",
      text: "How well a score tells two kinds of images apart: how often one of the one kind has the higher score than one of the other. 0.5 is chance, 1 is never wrong.",
    },
    typical: {
      word: "Typical",
      text: "An image that stands for many others like it. The first round asks about such images, while no model can choose.",
    },
    embedding: {
      word: "Embedding",
      text: "An image as a list of numbers that a network makes of it; alike images have alike numbers.",
    },
    tau: {
      word: "Tau",
      text: "How alike two images must be, from 0 to 1, to count as neighbours when labels are pruned.",
    },
    random_check: {
      word: "Random check",
      text: "An image drawn by chance that people are asked about like any other. The model does not learn from it, so it tells how right the model is. Audit, or draw, in the API.",
    },
    guarantee: {
      word: "Guarantee",
      text: "That at most so many of 100 labels of the model are wrong, and how sure that is. Certificate in the API.",
    },
    group: {
      word: "Group",
      text: "In a guarantee: images of which the model says the same and is about as sure. Lot in the API.",
    },
    sure: {
      word: "95 % sure",
      text: "Of 20 such statements, 19 are true. Chance decides which images are checked, and may mislead.",
    },
    log_loss: {
      word: "Log loss",
      text: "How wrong the probabilities of a model are, on verdicts that it has not seen: 0 where it is sure and right, and more the surer it is of what is wrong.",
    },
    jaccard: {
      word: "Jaccard",
      text: "How alike two selections are: what both have, divided by what either has. 1 is the same.",
    },
  },
};
