import { expect, it } from "vitest";
import type { Localization, Overlays } from "../../api/localization";
import { foundLines, methodsOf, ordered } from "./localized";

const found = (iou: number, localized: number) => ({ iou, localized, overlaps: [] });
const result: Localization = {
  localize: "regression",
  methods: { taufe: found(0.6, 0.5), standard: found(0.5, 0.5) },
  refused: { oat: "no class probabilities" },
  floors: { mean_box: found(0.7, 0.1), whole_image: found(0.2, 0.3) },
  overlap: 0.5,
  threshold: 0.2,
  overlaps: [],
  thresholds: [],
  judged_on: "evaluation",
  counts: { inside: 1, ood: 1, test: 1, none: 0, several: 0, cropped: 0 },
};

it("shows what was compared, and what one gets without looking", () => {
  expect(methodsOf(result)).toEqual(["standard", "taufe"]);
  const [iou, localized] = foundLines(result);
  expect(iou?.values).toEqual(["0.500", "0.600", "0.700", "0.200"]);
  // A guess is no method: only those compete.
  expect(iou?.best).toEqual([false, true, false, false]);
  expect(localized?.best).toEqual([false, false, false, false]);
});

it("has more to tell of maps", () => {
  const cam: Localization = {
    ...result,
    localize: "cam",
    methods: {
      standard: { ...found(0.5, 0.4), max_box_acc: 0.6, best_threshold: 0.31, accuracy: 0.9 },
    },
  };
  const lines = foundLines(cam);
  expect(lines).toHaveLength(6);
  expect(lines[3]?.values).toEqual(["0.31", null, null]);
});

it("puts the worst first, or the best, by one method", () => {
  const overlays: Overlays = {
    examples: [7, 8, 9],
    sizes: [],
    class_ids: [],
    truth: [],
    methods: { standard: { boxes: [], iou: [0.5, 0.1, 0.9], maps: null } },
  };
  expect(ordered(overlays, "standard", "given")).toEqual([0, 1, 2]);
  expect(ordered(overlays, "standard", "worst")).toEqual([1, 0, 2]);
  expect(ordered(overlays, "standard", "best")).toEqual([2, 0, 1]);
});
