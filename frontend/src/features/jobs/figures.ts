import type { Comparison, Method, MethodFigures } from "../../api/results";
import { t } from "../../strings";
import { formatPercent } from "../../ui/format";

export const METHODS: Method[] = ["standard", "oat", "taufe"];

export type Line = {
  label: string;
  values: (number | null)[];
  format: (value: number | null) => string;
  lowerIsBetter: boolean;
};

const formatCosine = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

/** The lines of the table of figures, one value for each method. */
export function linesOf({ methods }: Comparison): Line[] {
  const { comparison } = t.jobs;
  const line = (
    label: string,
    read: (figures: MethodFigures) => number | null,
    lowerIsBetter = false,
    format = formatPercent,
  ): Line => ({
    label,
    values: METHODS.map((method) => read(methods[method])),
    format,
    lowerIsBetter,
  });
  const detection = (["msp", "energy"] as const).flatMap((score) => {
    const name = comparison.scores[score];
    return [
      line(comparison.auroc(name), (one) => one[score]?.auroc ?? null),
      line(comparison.aupr(name), (one) => one[score]?.aupr_out ?? null),
      line(comparison.fpr(name), (one) => one[score]?.fpr95 ?? null, true),
    ];
  });
  return [
    line(comparison.accuracy, (one) => one.accuracy),
    line(comparison.similarity, (one) => one.similarity, true, formatCosine),
    ...detection,
  ];
}

/** Which columns of a line hold its best value; none when all are equal or unknown. */
export function bestOf({ values, lowerIsBetter }: Line): boolean[] {
  const known = values.filter((value) => value !== null);
  const best = lowerIsBetter ? Math.min(...known) : Math.max(...known);
  const distinct = new Set(known).size > 1;
  return values.map((value) => distinct && value === best);
}
