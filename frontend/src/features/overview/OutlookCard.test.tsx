import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { outlookQuery } from "../../api/rounds";
import type { Outlook, Project, Round } from "../../api/types";
import { inPool, OodLeftCard, OutlookCard } from "./OutlookCard";

afterEach(cleanup);

const roundOf = (random: number, purity: number | null) => {
  const one = (answers: number, count: number) => ({ answers, count, low: 358, high: 824 });
  const by_purity = purity === null ? null : one(purity, 512);
  const found = { unlabeled: 902, low: 358, high: 824, agree: null, by_purity };
  const ood_left = { ...found, count: 643, by_random: one(random, 643) };
  return { number: 4, ood_left } as unknown as Round;
};

const left = (random: number, purity: number | null, task = "classification") =>
  render(
    <OodLeftCard project={{ task } as unknown as Project} rounds={[roundOf(random, purity)]} />,
  );

it("estimates nothing from so few answers that it might be nearly anything", () => {
  left(10, null);
  expect(screen.queryByText(/643/)).toBeNull();
  expect(screen.getByText(/^By the random images of round 0: 10 answers, .* 20 are/)).toBeTruthy();
  cleanup();
  left(96, 8);
  expect(screen.getByText("643")).toBeTruthy();
  expect(screen.queryByText(/512/)).toBeNull();
});

it("says of boxes that what is left shows nothing, be it of the right kind or not", () => {
  left(96, null, "boxes");
  expect(screen.getByText("Nothing of the classes, still in the pool")).toBeTruthy();
});

it("asks whoever has no evaluation images for random checks", () => {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } },
  });
  const reasons: Outlook["reasons"] = [
    { code: "no_accuracy", points: "neither", values: { rounds: 3 } },
  ];
  const told: Outlook = { goal: "best_model", advice: "unknown", least_gain: 0.005, reasons };
  client.setQueryData(outlookQuery(7).queryKey, told);
  const project = { id: 7, task: "classification", counts: { evaluation: 0 } };
  render(
    <QueryClientProvider client={client}>
      <OutlookCard project={project as unknown as Project} rounds={[]} />
    </QueryClientProvider>,
  );
  expect(screen.getByText(/20 answered random checks .*Check more at random/)).toBeTruthy();
});

it("says of a class what is left of none leaves, and nothing from few answers", () => {
  expect(inPool(roundOf(96, null), 902)).toBe(
    "When round 4 closed, 902 images of the pool were unlabeled. Of these about 259 are expected to be of a class, and at most 544.",
  );
  expect(inPool(roundOf(10, null), 902)).toMatch(/^902 images .* too few answers yet/);
  expect(inPool(undefined, 902)).toMatch(/too few answers yet/);
});
