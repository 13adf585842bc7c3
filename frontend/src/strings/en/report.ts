import { locale } from "../language";
import { plural } from "./words";

const count = (value: number) => value.toLocaleString(locale);

/** What is handed to whoever has to rely on the labels. */
export const report = {
  title: "Report on labels",
  back: "Back to the guarantee",
  print: "Print",
  json: "Download as JSON",
  made: (when: string) => `Made ${when}`,
  promise: "What is promised",
  promised: (wrong: number, of: number, of100: string, sure: string) =>
    `Of ${plural(of, "label", "labels")} that the model gave, at most ${count(wrong)} ${wrong === 1 ? "is" : "are"} wrong: ${of100} of 100. This is ${sure} sure.`,
  asked: (of100: string, sure: string) => `Asked for were at most ${of100} of 100, ${sure} sure.`,
  notYet: "Nothing is promised yet: people are still checking.",
  notApplied: "These labels are not in use yet.",
  revoked: "These labels have been taken back: they count no longer.",
  refused: "Nothing is promised, and nothing was labeled.",
  missed: (wrong: number, of: number, of100: string) =>
    `Of ${plural(of, "image", "images")} that the model put aside as none of the classes, at most ${count(wrong)} ${wrong === 1 ? "is" : "are"} of a class: ${of100} of 100.`,
  peopleLabels: "Labels that people gave are not part of this: nothing is promised of them here.",
  looked: "What was looked at, and what was not",
  rows: {
    images: "Images in the pool",
    people: "Judged by people",
    learned: "Of these, the model learned from",
    drawn: "Drawn at random and checked for this guarantee",
    auto: "Labeled by the model, and looked at by nobody",
    left: "Without a label, left to people",
  },
  perClass: "Class by class",
  byPeople: "By people",
  byModel: "By the model",
  bound: "Wrong of 100, at most",
  boundHint: "Of the labels of the model, where it was promised of the class by itself.",
  how: "How it was checked",
  howText:
    "The model put the images that nobody had looked at into groups: by what it takes them for, and by how sure it is. From the surest groups on, images were drawn at random and shown to people, who did not know that this was a check. From how often the two differ follows how many labels can be wrong at most. Groups for which that is too many, or that are too small to tell, are left to people.",
  human: (pairs: number, disagreed: number, wrong: string, high: string) =>
    `People are wrong at times, too. ${plural(pairs, "image was", "images were")} judged twice by different people, who said different things of ${count(disagreed)}: about ${wrong} of 100 verdicts are wrong, at most ${high}. This is taken into account.`,
  humanNone:
    "How often people are wrong was not measured: too few images were judged by two people. What is promised holds if the checks were answered rightly.",
  basis: "What it rests on",
  assumptions: {
    draws_uniform:
      "Which images were checked was left to chance alone: within a group, each was as likely as any other.",
    every_look:
      "It was allowed to look at the results at any time and to stop early. That is reckoned with: looking often does not make the promise weaker.",
    same_pool:
      "It is about the images of this pool as they were at the time. Nothing is promised of images that come later, or from elsewhere.",
    model_fixed:
      "All labels were given by one and the same model, which learned nothing from the checks before they were counted.",
    earlier_draws:
      "Some of the checks are random checks of rounds before, and it is taken that it was not begun because the model did well on just these. Begun at the first of several models that did, the promise is broken more often than it says.",
    unsure_counts_wrong:
      "Where people answered “unsure”, the label of the model was counted as wrong.",
    people_error_measured:
      "How often people are wrong was estimated from images that two of them judged, and they are taken to be wrong independently of each other and of the model, also in the grid, where images stand together by what it takes them for. If all make the same mistake, it is not noticed.",
    people_right:
      "The people who checked are taken to be right, and to judge what they see: in the grid, images stand together by what the model takes them for.",
    each_lot: "It holds for each class by itself.",
    all_together:
      "It holds for all labels of the model together, not for each class by itself: one class may have more wrong labels, another fewer.",
  } as Record<string, string>,
  versions: "Versions",
  digests: "Fingerprints",
  digestsHint:
    "SHA-256 of what the labels were made from. Whoever has the same data, model and settings gets the same ones.",
  versionNames: {
    karat: "Karat",
    model: "Model",
    round: "Round of the model",
    certificate: "Guarantee",
  } as Record<string, string>,
  digestNames: { model: "Model", data: "Images", settings: "Settings" } as Record<string, string>,
};
