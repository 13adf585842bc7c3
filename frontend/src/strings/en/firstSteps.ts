/** The way from nothing to the first model. */
export const firstSteps = {
  title: "First steps",
  atRandom: "The first images are drawn at random.",
  steps: {
    images: {
      title: "Add images",
      text: "A folder or an archive; you see what becomes of it before anything is stored.",
    },
    classes: { title: "Name the classes", text: "Only those you look for." },
    evaluation: {
      title: "Add evaluation images",
      text: "Some with labels, to measure accuracy. May come later.",
    },
    label: { title: "Start labeling", text: "The first images are typical ones and random ones." },
    round: {
      title: "Finish the first round",
      text: "Then the model learns, and chooses what to ask next.",
    },
    rows: {
      title: "Add instructions",
      text: "JSON Lines, JSON or Parquet, as Alpaca, chats or ShareGPT have them.",
    },
    choose: {
      title: "Choose the ones worth tuning on",
      text: "A judge puts rows that are alike in order; people decide where it is unsure.",
    },
  },
};
