import { locale } from "../language";

const count = (value: number) => value.toLocaleString(locale);

/** Of a job that waits for somebody to decide how it goes on. */
export const paused = {
  title: "Paused at its spending cap",
  spent: (spent: string, cap: string) =>
    `${spent} of ${cap} is spent, and what comes next could cost more than is left.`,
  done: {
    clusters: (done: number, of: number) =>
      `${count(done)} of ${count(of)} clusters are done and kept.`,
    rows: (done: number, of: number) => `${count(done)} of ${count(of)} rows are scored and kept.`,
    texts: (done: number, of: number) =>
      `${count(done)} of ${count(of)} rows are embedded and kept.`,
  },
  rest: (rest: string) => `The rest costs about ${rest}.`,
  raise: "May spend in all",
  raiseHint:
    "In the currency of the judge’s prices. It goes on where it was, and asks nothing twice.",
  needed: (spent: string, most: number) =>
    `A number is needed, more than the ${spent} that is spent and ${count(most)} at most.`,
  goOn: "Go on",
  finish: "Finish with what is there",
  finishHint: "Asks nothing more. What was not asked about stays unranked, and is counted so.",
  decide: "Decide",
  short: (done: number, of: number) => `Spending cap reached, ${count(done)} of ${count(of)} done`,
};
