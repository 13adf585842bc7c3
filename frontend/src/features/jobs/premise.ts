import type { Premise, PremiseBin } from "../../api/results";
import { t } from "../../strings";
import { locale } from "../../strings/language";
import type { Figure } from "../../ui/Figures";
import { formatCount } from "../../ui/format";

const { premise: text } = t.jobs.subset;

/** From which rank correlation on surer groups are said to have more right. */
const HOLDS = 0.5;

const formatConfidence = (value: number): string =>
  value.toLocaleString(locale, { maximumFractionDigits: 2 });

const formatCorrelation = (value: number | null): string =>
  value === null
    ? "–"
    : value.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** What a group is called, counted from 0. */
export const groupOf = (bin: PremiseBin | undefined, at: number): string =>
  bin ? text.group(at + 1, formatConfidence(bin.low), formatConfidence(bin.high)) : "";

/** What the figures mean. */
export function meaningOf({ by, source, relabeled }: Premise): string {
  if (source === null) return text.unknown;
  if (source === "reviews" && by === "warm_up") return text.learned;
  if (relabeled === null) return text.tooFew;
  if (relabeled >= HOLDS) return text.holds;
  return relabeled > -HOLDS ? text.weak : text.fails;
}

export const figuresOf = ({ known, relabeled, labels }: Premise): Figure[] => [
  [`${text.correlation}: ${text.named}`, formatCorrelation(relabeled), text.correlationHint],
  [`${text.correlation}: ${text.given}`, formatCorrelation(labels), text.correlationHint],
  [text.known, formatCount(known)],
];
