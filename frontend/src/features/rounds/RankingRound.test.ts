import { expect, test } from "vitest";
import type { Round } from "../../api/types";
import { rankingFigures } from "./RankingRound";

const round = (change: Partial<Round>): Round =>
  ({
    queries: 14,
    answered: { label: 12, ood: 1, unsure: 1, skip: 0 },
    metrics: { groups: 14 },
    annotator_seconds: 0,
    ...change,
  }) as Round;

test("a round of rankings shows what is known of it, and nothing else", () => {
  expect(rankingFigures(round({})).map(([, value]) => value)).toEqual(["14", "12", "1", "1"]);
});

test("once it has closed it says how far people agree, with each other and with the judge", () => {
  const metrics = {
    groups: 14,
    wrong: 3,
    agreement: { tau: 0.5 },
    judge_agreement: { agree: 8, of: 10, low: 0.4, high: 0.9 },
  };
  const values = rankingFigures(round({ metrics, annotator_seconds: 30 })).map(([, one]) => one);
  expect(values.slice(4)).toEqual(["3", "0.50 (tau)", "8 of 10 (40\u00a0% to 90\u00a0%)", "30 s"]);
});
