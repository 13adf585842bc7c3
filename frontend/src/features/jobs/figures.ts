import type { Comparison, Method, MethodFigures, Trained } from "../../api/results";
import { t } from "../../strings";
import { formatPercent } from "../../ui/format";
import {
  aurocOf,
  FEWEST,
  formatAuroc,
  formatMeasured,
  formatShare,
  type Known,
  shareOf,
} from "../../ui/shares";

export const METHODS: Method[] = ["standard", "oat", "taufe"];

/** Those of a comparison, in the usual order. */
export const trainedOf = ({ methods }: Pick<Comparison, "methods">): Trained[] =>
  (["supervised", ...METHODS] as const).filter((method) => methods[method] !== undefined);

/** What a method is called beside the others of its comparison. */
export const nameOf = (result: Comparison, method: Trained): string => namesOf({ result })[method];

/** What the methods of a job that compares them are called, also while it has found nothing. */
export const namesOf = ({ result }: { result: unknown }): Record<Trained, string> =>
  t.jobs.comparison.methods[(result as Comparison | null)?.training ?? "supervised"];

export type Line = {
  label: string;
  values: (number | null)[];
  /** What each value lies within; missing where no interval is known, null of too few images. */
  known?: (Known | null)[];
  format: (value: number | null, index: number) => string;
  lowerIsBetter: boolean;
};

const formatCosine = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

/** The lines of the table of figures, one value for each method. */
export function linesOf({ methods, counts }: Comparison): Line[] {
  const { test, test_ood, attacked = 0 } = counts;
  const { comparison } = t.jobs;
  const line = (
    label: string,
    read: (figures: MethodFigures) => number | null,
    lowerIsBetter = false,
    format = formatPercent,
  ): Line => ({
    label,
    values: trainedOf({ methods }).map((method) => read(methods[method] as MethodFigures)),
    format,
    lowerIsBetter,
  });
  const within = (
    plain: Line,
    knownOf: (value: number) => Known | null,
    format: (known: Known | null) => string,
  ): Line => {
    const known = plain.values.map((value) => (value === null ? null : knownOf(value)));
    return {
      ...plain,
      known,
      format: (value, index) => (value === null ? "–" : format(known[index] ?? null)),
    };
  };
  const share = (plain: Line, count: number): Line =>
    within(plain, (value) => shareOf(value * count, count), formatShare);
  // No interval is known of it, and of few it might be nearly anything.
  const formatArea = test + test_ood < FEWEST ? () => t.advice.tooFew : formatPercent;
  const detection = (["msp", "energy"] as const).flatMap((score) => {
    const name = comparison.scores[score];
    return [
      within(
        line(comparison.auroc(name), (one) => one[score]?.auroc ?? null),
        (value) => aurocOf(value, test, test_ood),
        formatAuroc,
      ),
      line(comparison.aupr(name), (one) => one[score]?.aupr_out ?? null, false, formatArea),
      share(
        line(comparison.fpr(name), (one) => one[score]?.fpr95 ?? null, true),
        test_ood,
      ),
    ];
  });
  return [
    share(
      line(comparison.accuracy, (one) => one.accuracy),
      test,
    ),
    ...(attacked > 0
      ? [
          share(
            line(comparison.attacked, (one) => one.attacked_accuracy ?? null),
            attacked,
          ),
        ]
      : []),
    line(comparison.similarity, (one) => one.similarity, true, formatCosine),
    ...detection,
  ];
}

/**
 * Which columns of a line hold its best value: none when all are equal or unknown, when no interval
 * is known, or when another method's value lies within it.
 */
export function bestOf({ values, known, lowerIsBetter }: Line): boolean[] {
  const told = values.filter((value) => value !== null);
  const best = lowerIsBetter ? Math.min(...told) : Math.max(...told);
  const distinct = new Set(told).size > 1;
  const surely = (index: number): boolean => {
    const { low, high } = known?.[index] ?? { low: 0, high: 1 };
    return told.every((value) => value === best || value < low || value > high);
  };
  return values.map((value, index) => distinct && value === best && surely(index));
}

/** The accuracy of a method on one class, of so many images. */
export const ofClass = ({ methods, per_class_examples }: Comparison, method: Trained, at: number) =>
  formatMeasured(methods[method]?.per_class[at] ?? null, per_class_examples?.[at]);
