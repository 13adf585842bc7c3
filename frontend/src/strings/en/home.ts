import { locale } from "../language";
import { plural } from "./words";

const upTo = (count: number) => (count >= 1000 ? "1,000+" : count.toLocaleString(locale));

export const home = {
  waiting: (count: number) =>
    `${upTo(count)} ${count === 1 ? "image waits" : "images wait"} for you in this round`,
  waitingFor: {
    training: "The model is learning. New images come by themselves.",
    failed: "What comes next could not be prepared. Whoever runs the project has to try it again.",
    disk: "The server has too little room to choose new images. They come by themselves.",
    paused: "Paused by whoever runs it.",
    finished: "Finished. Thank you for your work.",
    others: "Nothing waits for you now; others may be at the rest.",
    nothing: "Nothing waits for you now.",
    start: "Not started yet.",
  },
  /** Of a job that has not begun, behind what keeps it. */
  byThemselves: "New images come by themselves.",
  /** In the place of `training`. */
  first: "The first images are being chosen. They come by themselves.",
  reviews: (count: number) =>
    count === 1 ? "Review 1 suggestion" : `Review ${upTo(count)} suggestions`,
  disagreements: (count: number) =>
    count === 1 ? "Decide on 1 disagreement" : `Decide on ${upTo(count)} disagreements`,
  work: "Your work",
  workHint: "Over all your projects, by your own clock. Skips count, too.",
  today: "Today",
  unit: (count: number) => (count === 1 ? "verdict" : "verdicts"),
  perVerdict: "Per verdict",
  perVerdictHint: (usual: string) => `${usual} over 14 days`,
  twoWeeks: "In 14 days",
  nothingYet: "Your pace appears here with your first verdicts.",
  chart: "Verdicts of each day",
  chartSummary: (total: number, best: number) =>
    `${plural(total, "verdict", "verdicts")} in 14 days, at most ${best.toLocaleString(locale)} in one.`,
  day: (date: string, verdicts: number, seconds: string) =>
    verdicts === 0
      ? `${date}: none`
      : `${date}: ${plural(verdicts, "verdict", "verdicts")}, ${seconds} each`,
  since: (date: string) => `Counted whole from ${date} on.`,
  agreement: "Agreement",
  agreementNone: "Appears when others have judged the same images, or reviewed yours.",
  agreementRows: {
    in_ood: { title: "One of the classes, or none", of: "verdicts of others on the same images" },
    classes: { title: "Class", of: "class verdicts of others on the same images" },
    reviews: { title: "Upheld in review", of: "decisions of reviewers on your images" },
  },
  of: (count: number, what: string) => `of ${count.toLocaleString(locale)} ${what}`,
  keys: "Keys",
  keysClasses: "The class with this key",
  allKeys: "All keys are shown with H while you label.",
};
