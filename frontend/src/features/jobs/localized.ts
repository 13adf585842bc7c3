import type { FoundByMethod, Guess, Localization, Overlays } from "../../api/localization";
import type { Method } from "../../api/results";
import { t } from "../../strings";
import { formatPercent } from "../../ui/format";
import { METHODS } from "./figures";

const { localization: text } = t;

export const GUESSES: Guess[] = ["mean_box", "whole_image"];

/** Those that were compared, in the usual order. */
export const methodsOf = ({ methods }: Pick<Localization, "methods">): Method[] =>
  METHODS.filter((method) => methods[method] !== undefined);

export type FoundLine = {
  label: string;
  values: (string | null)[];
  /** Which of the methods are the best. */
  best: boolean[];
};

const formatIou = (value: number): string => value.toFixed(3);

/** The lines of the table: one value for each method, then for each guess. */
export function foundLines(result: Localization): FoundLine[] {
  const methods = methodsOf(result).map((method) => result.methods[method] as FoundByMethod);
  const guesses = GUESSES.map((guess): FoundByMethod => result.floors[guess]);
  const line = (
    label: string,
    read: (found: FoundByMethod) => number | undefined,
    format: (value: number) => string = formatPercent,
    hasBest = true,
  ): FoundLine => {
    const values = [...methods, ...guesses].map(read);
    const known = values.slice(0, methods.length).filter((value) => value !== undefined);
    const top = Math.max(...known);
    const differ = hasBest && new Set(known).size > 1;
    return {
      label,
      values: values.map((value) => (value === undefined ? null : format(value))),
      best: values.map((value, index) => differ && index < methods.length && value === top),
    };
  };
  const share = formatIou;
  const found =
    result.localize === "cam"
      ? text.gtKnown(shortOf(result.overlap), shortOf(result.threshold))
      : text.found(shortOf(result.overlap));
  const lines = [line(text.iou, (one) => one.iou, share), line(found, (one) => one.localized)];
  if (result.localize === "regression") return lines;
  return [
    ...lines,
    line(text.maxBoxAcc, (one) => one.max_box_acc),
    line(text.bestThreshold, (one) => one.best_threshold, shortOf, false),
    line(text.accuracy, (one) => one.accuracy),
    line(text.constant, (one) => one.constant, String, false),
  ];
}

const shortOf = (value: number): string => String(Number(value.toFixed(2)));

/** Positions of the images in the order that was asked for, by what a method finds. */
export function ordered(
  overlays: Overlays,
  method: Method,
  order: "given" | "worst" | "best",
): number[] {
  const places = overlays.examples.map((_, place) => place);
  const ious = overlays.methods[method]?.iou ?? [];
  if (order === "given") return places;
  const sign = order === "worst" ? 1 : -1;
  return places.sort((one, other) => sign * ((ious[one] ?? 0) - (ious[other] ?? 0)));
}
