/** Headings in the catalog of algorithms. */
export const groups = {
  recommended: { title: "Recommended", hint: "What a new project starts with." },
  both: {
    title: "Purity and informativeness",
    hint: "For pools in which part of the images is none of the classes.",
  },
  informativeness: {
    title: "Informativeness only",
    hint: "For clean pools: asks about images of none of the classes like any other.",
  },
  diversity: {
    title: "Diversity",
    hint: "For clean pools: spreads a batch over what the pool holds.",
  },
  baseline: { title: "Baseline", hint: "To compare with." },
  features: {
    title: "By features",
    hint: "Compares images with those that are labeled already.",
  },
  outputs: { title: "By the model’s output", hint: "Reads what the model says about an image." },
  names: { title: "By the names of the classes", hint: "Works before the first answer." },
  scratch: {
    title: "Trained from scratch",
    hint: "Know nothing from elsewhere: they learn from your pool, or from the answers alone.",
  },
  published: {
    title: "Published networks",
    hint: "Have learned elsewhere: packaged ones need no download, others load their weights once.",
  },
  other: { title: "More", hint: "From other packages that are installed." },
};
