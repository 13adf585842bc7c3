/** What is known of an image, or of a row to be ranked. */
export const states = {
  classes: {
    unlabeled: "Not looked at",
    queried: "In the queue",
    /** Of a finished project. */
    neverAsked: "Chosen, and never asked about",
    labeled: "Labeled",
    ood: "None of the classes",
    unsure: "Unsure",
    held_out: "Held out",
  },
  rankings: {
    unlabeled: "Not asked about",
    queried: "Asked about",
    neverAsked: "Chosen, and never ranked",
    labeled: "Ranked by people",
    ood: "Not of this data",
    unsure: "Unsure",
    held_out: "Held out",
  },
};
