import type { Certificate, Interval, Lot } from "../../api/guarantee";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { formatShare } from "../../ui/shares";

const UNDER_WAY: readonly Certificate["state"][] = ["scoring", "asking", "applying", "revoking"];

/** Whether somebody or something is at it: as long as one is, no other can be begun. */
export const isUnderWay = ({ state }: Pick<Certificate, "state">): boolean =>
  UNDER_WAY.includes(state);

/** A confidence as odds: 0.95 as 19 of 20. */
export function oddsOf(confidence: number): { kept: number; of: number } {
  const of = Math.max(2, Math.round(1 / (1 - confidence)));
  return { kept: of - 1, of };
}

/** A share of the API's with its interval. */
export const withinOf = ({ share, low, high }: Interval): string =>
  formatShare({ value: share, low, high });

/** What a lot is called: by the class, or that it is of none. */
export const nameOf = (classId: number | null, classes: readonly LabelClass[]): string =>
  classId === null
    ? t.guarantee.kind.none
    : (classes.find(({ id }) => id === classId)?.name ?? String(classId));

/** Lots in the order in which they are read: by class, those of none last, the surest first. */
export function sorted(lots: readonly Lot[], classes: readonly LabelClass[]): Lot[] {
  const place = new Map(classes.map(({ id }, index) => [id, index]));
  const of = ({ class_id }: Lot) =>
    class_id === null ? classes.length + 1 : (place.get(class_id) ?? classes.length);
  return lots.toSorted((a, b) => of(a) - of(b) || b.band.low - a.band.low);
}

/** Images of lots in each state. */
export function imagesOf(lots: readonly Lot[]): Record<Lot["state"], number> {
  const images = { passed: 0, people: 0, open: 0 };
  for (const { state, size } of lots) images[state] += size;
  return images;
}
