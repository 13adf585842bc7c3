import { locale } from "../language";
import { plural } from "./words";

const count = (value: number): string => value.toLocaleString(locale);

/** How a project of instructions stands. */
export const rankingOverview = {
  choose: "Choose instructions",
  importMore: "Import rows",
  pool: "Rows",
  rows: (rows: number) => plural(rows, "row", "rows"),
  latest: "Chosen instructions",
  latestSays: (kept: number, rows: number) => `${count(kept)} of ${count(rows)} rows are kept.`,
  latestNone: "Nothing is chosen yet.",
  byPeople: (groups: number) => `People ranked ${plural(groups, "cluster", "clusters")}.`,
  closing: "Closing the round, with what people said",
  chosenAs: (kept: number, format: string) => `The chosen ${count(kept)} as ${format}`,
  aboutExports: "About the exports",
  allAs: (format: string) => `All rows as ${format}`,
  show: "Show what is kept, and why",
  now: (number: number) => `People rank: round ${number}`,
  columns: {
    round: "Round",
    state: "State",
    groups: "Groups",
    ranked: "Ranked",
    none: "Not of this data",
    unsure: "Unsure",
    wrong: "Rows marked wrong",
    people: "People agree",
    judge: "First as the judge",
  },
  tau: (tau: string) => `${tau} (tau)`,
  agree: (agree: number, of: number, low: string, high: string) =>
    `${count(agree)} of ${count(of)} (${low} to ${high})`,
};
