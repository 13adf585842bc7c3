import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Project, Round } from "../../api/types";
import { FactsCard } from "./RoundFacts";

afterEach(cleanup);

it("says of boxes what is measured of them, before it was and where there are none to measure on", () => {
  const answered = { label: 9, no_objects: 3, ood: 3, unsure: 0, skip: 0 };
  const round = {
    number: 0,
    answered,
    chosen: answered,
    spent: 12,
    budget: 12,
    settings: {},
    metrics: {},
    notes: [],
  };
  const nothing = { accuracy: null, purity_auroc: null, ood_left: null, annotator_seconds: 0 };
  render(
    <FactsCard
      round={{ ...round, ...nothing } as unknown as Round}
      project={{ task: "boxes", classes: [{ id: 1 }] } as unknown as Project}
    />,
  );
  expect(screen.getByText("How well things are found")).toBeTruthy();
  expect(screen.getByText("Nothing of the classes, still in the pool")).toBeTruthy();
  expect(screen.queryByText(/accuracy|class or none/i)).toBeNull();
});
