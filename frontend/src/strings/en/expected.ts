import { locale } from "../language";
import { plural } from "./words";

const images = (value: number) => plural(value, "image", "images");
const count = (value: number) => value.toLocaleString(locale);

/** Names, of many the first few. */
function some(names: string[]): string {
  const shown = names.slice(0, 6);
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

/** What a guarantee would take, and what would come of it. */
export const expected = {
  never:
    "Nothing could be labeled with this promise: too little is left, or the model is not sure enough of it. Promise less, or have people label what is left.",
  inVain: (of100: number, checks: string) =>
    `In about ${of100} of 100 cases nothing could be labeled with this promise, which is known after ${checks}: too little is left, or the model is not sure enough of it. Promise less, or have people label what is left.`,
  less: (of100: string, checks: string, auto: number) =>
    `With at most ${of100} of 100 wrong it would take ${checks}, and label about ${images(auto)}.`,
  checks: (about: number, low: number, high: number) =>
    low === high
      ? `about ${plural(about, "check", "checks")}`
      : `about ${plural(about, "check", "checks")} (${count(low)} to ${count(high)})`,
  takes: (checks: string, auto: number) =>
    `It takes ${checks}, and then about ${images(auto)} would be labeled.`,
  ofNone: "what is of none of the classes",
  left: (names: string[]) => `Most likely left to people: ${some(names)}.`,
  mayFail: (of100: number) => `In about ${of100} of 100 cases nothing comes of it.`,
  order:
    "Checks come before all else that people are asked about, and what they cost is added to the budget of the round.",
  hedge: "The model may be right less often, or more often, than it is sure.",
};
